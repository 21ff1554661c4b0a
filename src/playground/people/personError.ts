/** Something that Discord's client would not let a person do. */
export class PersonError extends Error {}
