import { groupRestore } from "../src/app/operations/groupRestore.js";
import { slash } from "./slash.js";

export default slash(groupRestore);
