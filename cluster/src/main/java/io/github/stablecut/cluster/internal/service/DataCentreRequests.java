package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.ProtocolException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.crdt.Bytes;
import java.util.function.IntSupplier;

/**
 * The messages that manage data centres, as far as they mean something to one data centre: it is
 * made already, of the nodes that it has, and is connected to itself. Thread-safe.
 */
final class DataCentreRequests {
  private final Bytes descriptor;
  private final IntSupplier nodes;

  /**
   * @param storeId which data centre this is
   * @param nodes how many it has
   */
  DataCentreRequests(long storeId, IntSupplier nodes) {
    this.nodes = nodes;
    this.descriptor = Bytes.utf8("stablecut %016x".formatted(storeId));
  }

  /** Confirms the creation of the data centre, which exists already. */
  Response answer(Request.CreateDataCentre request) {
    return created(request);
  }

  /** Answers a request to connect data centres. */
  Response answer(Request.ConnectDataCentres request) {
    return connected(request);
  }

  /** Describes this data centre. */
  Response answer(Request.DescribeConnection request) {
    return new Response.ConnectionDescribed(descriptor);
  }

  /** A list with one name is taken for that of the node that is asked. */
  private Response created(Request.CreateDataCentre request) {
    int named = request.nodes().size();
    int there = nodes.getAsInt();
    if (named > 1 && named != there) {
      throw new ProtocolException(
          "this data centre has %s, and %d are named: name all of them, the one that is asked, or none; others join with ./stablecut serve --join"
              .formatted(there == 1 ? "one node" : there + " nodes", named));
    }
    return new Response.DataCentreCreated();
  }

  private Response connected(Request.ConnectDataCentres request) {
    for (Bytes other : request.descriptors()) {
      if (!other.equals(descriptor)) {
        throw new ProtocolException(
            "this server can't be connected to another data centre: the descriptor %s is not its own"
                .formatted(other));
      }
    }
    return new Response.DataCentresConnected();
  }
}
