// Patches of texts, which are arrays of code points: {position, deleted, inserted}, where inserted is an array, too.

/** The patch between two texts, from the first code point that differs to the last. */
export function between(before, after) {
  const shorter = Math.min(before.length, after.length);
  let position = 0;
  while (position < shorter && before[position] === after[position]) {
    position++;
  }
  let rest = 0;
  while (rest < shorter - position && before[before.length - 1 - rest] === after[after.length - 1 - rest]) {
    rest++;
  }
  return {
    position,
    deleted: before.length - rest - position,
    inserted: after.slice(position, after.length - rest),
  };
}

export function isNothing(patch) {
  return patch.deleted === 0 && patch.inserted.length === 0;
}

/** Applies a patch to a text. */
export function apply(patch, text) {
  return [
    ...text.slice(0, patch.position),
    ...patch.inserted,
    ...text.slice(patch.position + patch.deleted),
  ];
}

/** Maps a position over a patch; a deleted position maps to the beginning of the patch. */
export function moved(place, patch) {
  if (place <= patch.position) {
    return place;
  }
  const end = patch.position + patch.deleted;
  return place >= end ? place - patch.deleted + patch.inserted.length : patch.position;
}

/** Transforms a patch so that it applies after another one. */
export function after(patch, other) {
  const end = patch.position + patch.deleted;
  const otherEnd = other.position + other.deleted;
  const from = moved(patch.position, other);
  if (end <= other.position) {
    return patch;
  }
  if (patch.position >= otherEnd) {
    return {...patch, position: from};
  }
  // They overlap: the deletions of the other one are done, its insertions stay.
  const before = Math.max(0, other.position - patch.position);
  const behind = Math.max(0, end - otherEnd);
  return before > 0 && behind === 0
    ? {position: patch.position, deleted: before, inserted: patch.inserted}
    : {position: other.position + other.inserted.length, deleted: behind, inserted: patch.inserted};
}
