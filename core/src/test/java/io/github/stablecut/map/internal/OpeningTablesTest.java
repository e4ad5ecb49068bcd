package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.storage.RecordStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables that can't be opened. */
final class OpeningTablesTest {
  @TempDir Path directory;

  @Test
  void tablesThatCannotBeOpenedLeaveTheStorageClosed() {
    RecordStorage storage = new StoreRecords(Stablecut.open(directory), true);
    assertThatThrownBy(() -> TableMap.over(unreadable(storage))).hasMessage("unreadable");
    // The directory is free.
    try (Store again = Stablecut.open(directory)) {
      assertThat(again.status().openTransactions()).isZero();
    }
  }

  /** A storage that can't be read. */
  private static RecordStorage unreadable(RecordStorage storage) {
    return (RecordStorage)
        Proxy.newProxyInstance(
            OpeningTablesTest.class.getClassLoader(),
            new Class<?>[] {RecordStorage.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("close")) {
                throw new IllegalStateException("unreadable");
              }
              try {
                return method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
