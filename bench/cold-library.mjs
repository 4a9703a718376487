// Prints how many milliseconds of processor time the whole standard library of Colang 2.x takes in this fresh process.
import { cpuOf, loadLibrary } from "./library-program.mjs";

process.stdout.write(cpuOf(loadLibrary).toFixed(2));
