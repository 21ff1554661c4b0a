import { groupArchive } from "../src/app/operations/groupArchive.js";
import { slash } from "./slash.js";

export default slash(groupArchive);
