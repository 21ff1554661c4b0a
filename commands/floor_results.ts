import { floorResults } from "../src/app/operations/floorResults.js";
import { slash } from "./slash.js";

export default slash(floorResults);
