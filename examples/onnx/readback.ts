/** Counts the bytes that a page reads back from the GPU: WebGPU has no other way than to map a buffer for reading. */
let bytes = 0;

/** `GPUMapMode.READ` */
const READ = 1;

// oxlint-disable-next-line typescript/unbound-method -- called with a buffer below
const mapAsync = GPUBuffer.prototype.mapAsync;
GPUBuffer.prototype.mapAsync = function (this: GPUBuffer, mode: number, offset = 0, size = this.size - offset) {
  if (mode === READ) bytes += size;
  return mapAsync.call(this, mode, offset, size);
};

/** All bytes so far. */
export const bytesReadBack = (): number => bytes;
