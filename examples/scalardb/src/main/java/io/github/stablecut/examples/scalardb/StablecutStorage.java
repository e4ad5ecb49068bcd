package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.Delete;
import com.scalar.db.api.Get;
import com.scalar.db.api.Mutation;
import com.scalar.db.api.Operation;
import com.scalar.db.api.Put;
import com.scalar.db.api.Result;
import com.scalar.db.api.Scan;
import com.scalar.db.api.Scanner;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.api.VirtualTableInfo;
import com.scalar.db.common.AbstractDistributedStorage;
import com.scalar.db.common.CoreError;
import com.scalar.db.common.StorageInfoProvider;
import com.scalar.db.common.TableMetadataManager;
import com.scalar.db.common.VirtualTableInfoManager;
import com.scalar.db.common.checker.OperationChecker;
import com.scalar.db.config.DatabaseConfig;
import com.scalar.db.exception.storage.ExecutionException;
import com.scalar.db.exception.storage.NoMutationException;
import com.scalar.db.exception.storage.RetriableExecutionException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Tables as a storage of ScalarDB. Mutations are linearizable, whatever consistency an operation
 * requests. Thread-safe.
 *
 * <p>Exceptions keep their meaning. A condition that did not hold is {@link NoMutationException}. A
 * refusal that changed nothing and may be retried is {@link RetriableExecutionException}. A
 * mutation that changed nothing and would be refused each time, such as one with too large a value,
 * is {@link IllegalArgumentException}. All others are {@link ExecutionException}, which ScalarDB
 * treats as an unknown outcome when it commits.
 */
final class StablecutStorage extends AbstractDistributedStorage {
  private final SharedMap shared;
  private final TableMetadataManager tables;
  private final VirtualTableInfoManager virtualTables;
  private final OperationChecker checker;

  StablecutStorage(DatabaseConfig config) {
    super(config);
    this.shared = SharedMap.open(config);
    try {
      StablecutAdmin admin = new StablecutAdmin(shared);
      this.tables = new TableMetadataManager(admin, config.getMetadataCacheExpirationTimeSecs());
      this.virtualTables =
          new VirtualTableInfoManager(admin, config.getMetadataCacheExpirationTimeSecs());
      this.checker = new OperationChecker(config, tables, new StorageInfoProvider(admin));
    } catch (RuntimeException | Error e) {
      shared.close();
      throw e;
    }
  }

  @Override
  public Optional<Result> get(Get get) throws ExecutionException {
    Get aimed = copyAndSetTargetToIfNot(get);
    checker.check(aimed);
    try (Scanner scanner =
        new Selections(shared.map(), target(aimed), metadata(aimed)).begin(aimed)) {
      Optional<Result> result = scanner.one();
      if (result.isPresent() && scanner.one().isPresent()) {
        throw new IllegalArgumentException(
            CoreError.GET_OPERATION_USED_FOR_NON_EXACT_MATCH_SELECTION.buildMessage(aimed));
      }
      return result;
    } catch (IOException | StablecutException e) {
      throw failed(e);
    }
  }

  @Override
  public Scanner scan(Scan scan) throws ExecutionException {
    Scan aimed = copyAndSetTargetToIfNot(scan);
    checker.check(aimed);
    try {
      return new Selections(shared.map(), target(aimed), metadata(aimed)).begin(aimed);
    } catch (StablecutException e) {
      throw failed(e);
    }
  }

  @Override
  public void put(Put put) throws ExecutionException {
    make(List.of(put));
  }

  @Override
  public void put(List<Put> puts) throws ExecutionException {
    make(puts);
  }

  @Override
  public void delete(Delete delete) throws ExecutionException {
    make(List.of(delete));
  }

  @Override
  public void delete(List<Delete> deletes) throws ExecutionException {
    make(deletes);
  }

  @Override
  public void mutate(List<? extends Mutation> mutations) throws ExecutionException {
    make(mutations);
  }

  private void make(List<? extends Mutation> mutations) throws ExecutionException {
    List<? extends Mutation> aimed = copyAndSetTargetToIfNot(mutations);
    checker.check(aimed);
    TableMap map = shared.map();
    boolean isMade;
    try {
      List<io.github.stablecut.map.Mutation> made = new ArrayList<>();
      for (Mutation mutation : aimed) {
        made.addAll(new Mutations(map, target(mutation)).of(mutation));
      }
      isMade = map.mutate(made);
    } catch (UsageException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (StablecutException e) {
      throw failed(e);
    }
    if (!isMade) {
      throw new NoMutationException(CoreError.NO_MUTATION_APPLIED.buildMessage(), aimed);
    }
  }

  private TableMetadata metadata(Operation operation) throws ExecutionException {
    return Objects.requireNonNull(
        tables.getTableMetadata(operation), "the checker has found the table");
  }

  /** The tables of an operation: one table, or two that are joined. */
  private Target target(Operation operation) throws ExecutionException {
    TableName name =
        new TableName(operation.forNamespace().orElseThrow(), operation.forTable().orElseThrow());
    VirtualTableInfo info = virtualTables.getVirtualTableInfo(name.namespace(), name.table());
    if (info instanceof VirtualTables.Info virtual) {
      return new Target(virtual.left(), Optional.of(virtual));
    }
    return new Target(name, Optional.empty());
  }

  /**
   * The tables of an operation.
   *
   * @param table the table; for a virtual table, the left source
   */
  record Target(TableName table, Optional<VirtualTables.Info> virtual) {}

  private static ExecutionException failed(Exception e) {
    String message = String.valueOf(e.getMessage());
    return e instanceof RetryException
        ? new RetriableExecutionException(message, e)
        : new ExecutionException(message, e);
  }

  @Override
  public void close() {
    shared.close();
  }
}
