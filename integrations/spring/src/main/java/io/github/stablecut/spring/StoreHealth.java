package io.github.stablecut.spring;

import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The health of a store, which is up while it accepts commits, for the actuators of all versions of
 * Spring Boot. Immutable.
 *
 * @param isUp false if a part of the store has failed, its disk is full, or its server does not
 *     answer
 * @param details the problems, if any, and figures
 */
record StoreHealth(boolean isUp, Map<String, Object> details) {
  static StoreHealth of(Store store) {
    StoreStatus status = store.status();
    List<String> problems = new ArrayList<>(status.health().failures());
    problems.addAll(status.journal().problems());
    Map<String, Object> details = new LinkedHashMap<>();
    if (!problems.isEmpty()) {
      details.put("problems", problems);
    }
    details.put("partitions", status.partitions());
    details.put("openTransactions", status.openTransactions());
    details.put("inDoubt", status.activity().inDoubt().size());
    details.put("warnings", status.health().warnings());
    return new StoreHealth(problems.isEmpty(), details);
  }
}
