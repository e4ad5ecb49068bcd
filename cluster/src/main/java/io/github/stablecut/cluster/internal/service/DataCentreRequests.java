package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.ProtocolException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.crdt.Bytes;

/**
 * The messages that manage data centres, as far as they mean something to one data centre of one
 * node: it is made already, and is connected to itself. Thread-safe.
 */
final class DataCentreRequests {
  private final Bytes descriptor;

  /**
   * @param storeId which data centre this is
   */
  DataCentreRequests(long storeId) {
    this.descriptor = Bytes.utf8("stablecut %016x".formatted(storeId));
  }

  Response answer(Request request) {
    if (request instanceof Request.CreateDataCentre create) {
      return created(create);
    } else if (request instanceof Request.ConnectDataCentres connect) {
      return connected(connect);
    }
    return new Response.ConnectionDescribed(descriptor);
  }

  /** A list with one name is taken for that of the node that is asked. */
  private static Response created(Request.CreateDataCentre request) {
    if (request.nodes().size() > 1) {
      throw new ProtocolException(
          "a data centre has one node here, and %d are named: name this one only, or none"
              .formatted(request.nodes().size()));
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
