import { agentRestore } from "../src/app/operations/agentRestore.js";
import { slash } from "./slash.js";

export default slash(agentRestore);
