import { agentGet } from "../src/app/operations/agentGet.js";
import { slash } from "./slash.js";

export default slash(agentGet);
