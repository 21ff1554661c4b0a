import { groupCreate } from "../src/app/operations/groupCreate.js";
import { slash } from "./slash.js";

export default slash(groupCreate);
