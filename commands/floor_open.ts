import { floorOpen } from "../src/app/operations/floorOpen.js";
import { slash } from "./slash.js";

export default slash(floorOpen);
