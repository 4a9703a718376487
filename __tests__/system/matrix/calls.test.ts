import { describeMatrix } from "./describe-matrix.js";

describeMatrix("calls");
