import { agentCreate } from "../src/app/operations/agentCreate.js";
import { slash } from "./slash.js";

export default slash(agentCreate);
