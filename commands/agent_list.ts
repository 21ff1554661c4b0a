import { agentList } from "../src/app/operations/agentList.js";
import { slash } from "./slash.js";

export default slash(agentList);
