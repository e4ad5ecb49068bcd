package io.github.stablecut.map.internal;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.map.Mutation;
import io.github.stablecut.map.TableAccess;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads and writes tables in records. As thread-safe as the writer. */
class StoredAccess extends StoredReader implements TableAccess {
  /** The maximum number of attempts of mutations whose index entries change concurrently. */
  private static final int MAX_ATTEMPTS = 1_000;

  private final RecordWriter records;

  StoredAccess(RecordWriter records, Schemas schemas) {
    super(records, schemas);
    this.records = records;
  }

  @Override
  public final boolean mutate(List<? extends Mutation> mutations) {
    if (mutations.isEmpty()) {
      throw new IllegalArgumentException("no mutations: pass at least one");
    }
    List<TableName> names = mutations.stream().map(mutation -> mutation.key().table()).toList();
    return schemas().apply(records, names, tables -> mutate(mutations, tables));
  }

  private boolean mutate(List<? extends Mutation> mutations, Map<TableName, Schema> tables) {
    MutationBatch batch = new MutationBatch(mutations, tables);
    if (batch.isBlind()) {
      records.write(batch.blindChanges());
      return true;
    }
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Set<RecordId> touched =
          batch.hasIndexes() ? batch.touched(records.read(batch.records())) : batch.records();
      MutationBatch.Outcome outcome =
          records.compute(touched, found -> batch.apply(found, touched));
      if (outcome != MutationBatch.Outcome.OUTDATED) {
        return outcome == MutationBatch.Outcome.MADE;
      }
    }
    throw new ConflictException(
        "indexed columns of %s were changed by others %,d times between reading and writing: try again later"
            .formatted(tables.keySet(), MAX_ATTEMPTS));
  }
}
