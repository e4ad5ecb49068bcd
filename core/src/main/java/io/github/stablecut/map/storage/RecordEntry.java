package io.github.stablecut.map.storage;

/** A record that a scan has come to. Immutable. */
public record RecordEntry(RecordId id, Cells cells) {}
