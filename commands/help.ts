import { help } from "../src/app/operations/help.js";
import { slash } from "./slash.js";

export default slash(help);
