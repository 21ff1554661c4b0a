import { groupUpdate } from "../src/app/operations/groupUpdate.js";
import { slash } from "./slash.js";

export default slash(groupUpdate);
