package io.github.stablecut.cluster.internal.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.datacentre.DataCentreOrders;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.Threads;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that manage data centres. A data centre is made already, of the nodes that it has;
 * it connects itself with others, each of which is asked to, as AntidoteDB's clients do.
 * Thread-safe.
 */
public final class DataCentreRequests {
  private static final Logger LOG = LoggerFactory.getLogger(DataCentreRequests.class);

  private final DataCentreOrders dataCentre;
  private final IntSupplier nodes;

  /**
   * @param nodes how many it has
   */
  public DataCentreRequests(DataCentreOrders dataCentre, IntSupplier nodes) {
    this.dataCentre = dataCentre;
    this.nodes = nodes;
  }

  /** Confirms the creation of the data centre, which exists already. */
  Response answer(Request.CreateDataCentre request) {
    return created(request);
  }

  /** Answers a request to connect data centres, on a thread of its own: that takes its time. */
  CompletableFuture<Response> answer(Request.ConnectDataCentres request) {
    CompletableFuture<Response> answer = new CompletableFuture<>();
    Threads.daemon("stablecut-connect", () -> connect(request, answer)).start();
    return answer;
  }

  private void connect(Request.ConnectDataCentres request, CompletableFuture<Response> answer) {
    try {
      dataCentre.connect(request.descriptors().stream().map(DataCentreRequests::text).toList());
      boolean unused = answer.complete(new Response.DataCentresConnected());
    } catch (StablecutException e) {
      LOG.warn("data centres are not connected: {}", e.getMessage());
      boolean unused =
          answer.complete(
              new Response.DataCentresNotConnected(
                  Failures.code(e), String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      boolean unused = answer.completeExceptionally(e);
    }
  }

  private static String text(Bytes descriptor) {
    return new String(descriptor.toArray(), UTF_8);
  }

  /** Describes this data centre. */
  Response answer(Request.DescribeConnection request) {
    return new Response.ConnectionDescribed(Bytes.utf8(dataCentre.descriptor()));
  }

  /** A list with one name is taken for that of the node that is asked. */
  private Response created(Request.CreateDataCentre request) {
    int named = request.nodes().size();
    int there = nodes.getAsInt();
    if (named > 1 && named != there) {
      return new Response.DataCentreNotCreated(
          ErrorCode.BAD_REQUEST,
          "this data centre has %s, and %d are named: name all of them, the one that is asked, or none; others join with stablecut serve --join"
              .formatted(there == 1 ? "one node" : there + " nodes", named));
    }
    return new Response.DataCentreCreated();
  }
}
