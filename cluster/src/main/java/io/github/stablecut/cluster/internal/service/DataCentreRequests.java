package io.github.stablecut.cluster.internal.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;

/**
 * The messages that manage data centres. A data centre is made already, of the nodes that it has;
 * it connects itself with others, each of which is asked to, as AntidoteDB's clients do. Clients
 * have no token: so their orders are refused unless the settings allow them, and their answers do
 * not tell what was met at the addresses that they name. Thread-safe.
 */
public final class DataCentreRequests {
  private static final Logger LOG = Log.of(DataCentreRequests.class);

  /** How many orders may wait for the one that is carried out. */
  static final int MAX_WAITING = 16;

  private static final String FORBIDDEN =
      "clients may not give orders to data centres: use stablecut dc connect, which presents the"
          + " operators' token, or allow them by replication.client-orders = true in the server's"
          + " settings file";

  private static final String NOT_CONNECTED =
      "the data centres are not connected, and the server's log says why: each of them has to be"
          + " reached from the server, and only one without data can join others";

  private final DataCentreCommands dataCentre;
  private final IntSupplier nodes;
  private final boolean isAllowed;
  private final LogLimit failures = new LogLimit();
  private final ThreadPoolExecutor orders;

  /**
   * @param nodes how many it has
   * @param isAllowed whether clients may give orders
   */
  public DataCentreRequests(DataCentreCommands dataCentre, IntSupplier nodes, boolean isAllowed) {
    this.dataCentre = dataCentre;
    this.nodes = nodes;
    this.isAllowed = isAllowed;
    this.orders =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            work -> Threads.daemon("stablecut-connect", work));
    orders.allowCoreThreadTimeOut(true);
  }

  /** Confirms the creation of the data centre, which exists already. */
  Response answer(Request.CreateDataCentre request) {
    return isAllowed
        ? created(request)
        : new Response.DataCentreNotCreated(ErrorCode.NO_PERMISSIONS, FORBIDDEN);
  }

  /** Answers a request to connect data centres, on a thread for such orders: that takes time. */
  CompletableFuture<Response> answer(Request.ConnectDataCentres request) {
    if (!isAllowed) {
      return refused(ErrorCode.NO_PERMISSIONS, FORBIDDEN);
    }
    int named = request.descriptors().size();
    if (named > VectorClock.MAX_DATA_CENTRES) {
      return refused(
          ErrorCode.LIMIT_EXCEEDED,
          "%,d data centres are named, and a group has at most %,d"
              .formatted(named, VectorClock.MAX_DATA_CENTRES));
    }
    List<String> addresses;
    try {
      addresses =
          dataCentre.addresses(
              request.descriptors().stream().map(DataCentreRequests::text).toList());
    } catch (StablecutException e) {
      return refused(Failures.code(e), String.valueOf(e.getMessage()));
    }
    CompletableFuture<Response> answer = new CompletableFuture<>();
    try {
      orders.execute(() -> connect(addresses, answer));
    } catch (RejectedExecutionException e) {
      return refused(
          ErrorCode.BUSY,
          "%d orders to connect data centres wait already, as many as may: try again"
              .formatted(MAX_WAITING));
    }
    return answer;
  }

  private void connect(List<String> addresses, CompletableFuture<Response> answer) {
    try {
      dataCentre.connect(addresses);
      boolean unused = answer.complete(new Response.DataCentresConnected());
    } catch (StablecutException e) {
      failures.ifAdmitted(
          more -> LOG.warn("data centres are not connected: {}{}", e.getMessage(), more));
      boolean unused =
          answer.complete(
              new Response.DataCentresNotConnected(ErrorCode.BAD_REQUEST, NOT_CONNECTED));
    } catch (RuntimeException | Error e) {
      boolean unused = answer.completeExceptionally(e);
    }
  }

  private static CompletableFuture<Response> refused(ErrorCode code, String reason) {
    return CompletableFuture.completedFuture(new Response.DataCentresNotConnected(code, reason));
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
