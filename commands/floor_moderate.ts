import { floorModerate } from "../src/app/operations/floorModerate.js";
import { slash } from "./slash.js";

export default slash(floorModerate);
