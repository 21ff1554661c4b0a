import { agentArchive } from "../src/app/operations/agentArchive.js";
import { slash } from "./slash.js";

export default slash(agentArchive);
