/** Devices of this machine that share the layers of a model. */
import { checkSplit } from "./parts.js";
import { invalid } from "../../core/errors.js";
import { chooseDevice, type ChosenDevice, type DeviceRequest } from "./choose.js";

/** A device by its index or its name, or several. */
export type DeviceChoice = number | string | readonly (number | string)[];

interface DevicesRequest extends Pick<DeviceRequest, "backend"> {
  readonly device?: DeviceChoice | undefined;
  readonly split?: readonly number[] | undefined;
}

/** Chooses one device or several. Throws `InputError` as `chooseDevice` does, and for a list or a split that is not right. */
export async function chooseDevices({
  backend,
  device,
  split,
}: DevicesRequest): Promise<readonly [ChosenDevice, ...ChosenDevice[]]> {
  if (!isList(device)) {
    if (split !== undefined) throw invalid("`split` needs `servers`, or a list of devices in `device`");
    return [await chooseDevice({ backend, device })];
  }
  if (device.length === 0) throw invalid("`device` must have a device, found none");
  const all: ChosenDevice[] = [];
  for (const one of device) {
    const isCpu = typeof one === "string" && one.toLowerCase() === "cpu";
    all.push(await chooseDevice(isCpu ? { backend: "cpu" } : { backend, device: one }));
  }
  const devices = all.map((one) => one.device);
  const twice = devices.find((name, i) => devices.indexOf(name) !== i);
  if (twice !== undefined) throw invalid(`\`device\` names ${twice} twice: give each once`);
  checkSplit(split, devices.length);
  const [first, ...others] = all;
  return [first!, ...others];
}

const isList = (device: DeviceChoice | undefined): device is readonly (number | string)[] => Array.isArray(device);
