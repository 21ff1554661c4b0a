import { groupList } from "../src/app/operations/groupList.js";
import { slash } from "./slash.js";

export default slash(groupList);
