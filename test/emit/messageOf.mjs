/** What a call that is refused says, with its code; "nothing" if it is not. */
export const messageOf = async (call) => {
  try {
    await call();
    return "nothing";
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
};
