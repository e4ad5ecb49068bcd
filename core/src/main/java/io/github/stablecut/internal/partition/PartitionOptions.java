package io.github.stablecut.internal.partition;

import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.SyncPolicy;
import java.time.InstantSource;

/**
 * The settings of a partition. Immutable.
 *
 * @param number the partition's number in its data centre
 * @param dataCentre the number of the data centre
 * @param clock the machine's clock
 * @param sync when the journal makes records durable and when it acknowledges them
 * @param journal the journal's sizes
 * @param effectBytes how many bytes of effects may be kept in memory beside the versions read
 */
public record PartitionOptions(
    int number,
    int dataCentre,
    InstantSource clock,
    SyncPolicy sync,
    JournalOptions journal,
    long effectBytes) {}
