package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.link.About;
import java.util.List;

/** A cluster joins others when it is made, and not while it runs. Immutable. */
public final class NoExchange implements ServerDataCentre.Joining {
  @Override
  public void join(List<String> addresses, About group) {
    throw new ReplicationRefusedException(
        "a cluster that runs can't join the data centre at %s: end its nodes, empty their directories, and start them again, the first of its seeds with --dc-join %s; or, if that one is new, have it connect to this one"
            .formatted(addresses.get(0), addresses.get(0)));
  }
}
