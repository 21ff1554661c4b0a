import { agentUpdate } from "../src/app/operations/agentUpdate.js";
import { slash } from "./slash.js";

export default slash(agentUpdate);
