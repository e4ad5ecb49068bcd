package io.github.stablecut.map.testing;

import io.github.stablecut.Store;
import io.github.stablecut.map.TableMap;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tables of one store accessed through several of its nodes. Each call goes to the next node, so
 * another node acknowledged what the previous call wrote.
 */
public final class TablesInTurn {
  private TablesInTurn() {}

  /** Returns tables whose calls go to the nodes in turn. */
  public static TableMap over(List<Store> nodes) {
    List<TableMap> maps = nodes.stream().map(TableMap::over).toList();
    AtomicInteger calls = new AtomicInteger();
    return (TableMap)
        Proxy.newProxyInstance(
            TableMap.class.getClassLoader(),
            new Class<?>[] {TableMap.class},
            (proxy, method, arguments) -> {
              TableMap next = maps.get(Math.floorMod(calls.getAndIncrement(), maps.size()));
              try {
                return method.invoke(next, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
