import { floorClose } from "../src/app/operations/floorClose.js";
import { slash } from "./slash.js";

export default slash(floorClose);
