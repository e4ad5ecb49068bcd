package io.github.stablecut.map.storage;

/** A record that a scan returned. Immutable. */
public record RecordEntry(RecordId id, Cells cells) {}
