package io.github.stablecut.cluster.internal.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.cluster.internal.service.handle.Failures;
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
 * Executes the requests that manage data centres. Creation only confirms the data centre that
 * exists; connecting joins it with others, as AntidoteDB's clients expect. As clients present no
 * token, the settings must permit their requests, and answers reveal nothing about the addresses
 * that they name. Thread-safe.
 */
public final class DataCentreRequests {
  private static final Logger LOG = Log.of(DataCentreRequests.class);

  /** Maximum number of requests that wait for the executing one. */
  static final int MAX_WAITING = 16;

  private static final String FORBIDDEN =
      "clients may not manage data centres: use stablecut dc connect, which presents the admin"
          + " token, or set replication.client-orders = true in the server's settings file";

  private static final String NOT_CONNECTED =
      "the data centres are not connected; see the server's log: the server must reach each of"
          + " them, and only a data centre without data can join others";

  private final DataCentreCommands dataCentre;
  private final IntSupplier nodes;
  private final boolean isAllowed;
  private final LogLimit failures = new LogLimit();
  private final ThreadPoolExecutor connections;

  /**
   * @param nodes supplies the number of its nodes
   * @param isAllowed whether clients may manage data centres
   */
  public DataCentreRequests(DataCentreCommands dataCentre, IntSupplier nodes, boolean isAllowed) {
    this.dataCentre = dataCentre;
    this.nodes = nodes;
    this.isAllowed = isAllowed;
    this.connections =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            work -> Threads.daemon("stablecut-connect", work));
    connections.allowCoreThreadTimeOut(true);
  }

  /** Confirms the creation of the data centre, which already exists. */
  Response answer(Request.CreateDataCentre request) {
    return isAllowed
        ? created(request)
        : new Response.DataCentreNotCreated(ErrorCode.NO_PERMISSIONS, FORBIDDEN);
  }

  /** Connects data centres on a separate thread, as that takes time. */
  CompletableFuture<Response> answer(Request.ConnectDataCentres request) {
    if (!isAllowed) {
      return refused(ErrorCode.NO_PERMISSIONS, FORBIDDEN);
    }
    int named = request.descriptors().size();
    if (named > VectorClock.MAX_DATA_CENTRES) {
      return refused(
          ErrorCode.LIMIT_EXCEEDED,
          "the request names %,d data centres; a group has at most %,d"
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
      connections.execute(() -> connect(addresses, answer));
    } catch (RejectedExecutionException e) {
      return refused(
          ErrorCode.BUSY,
          "%d requests to connect data centres are waiting, the maximum: try again"
              .formatted(MAX_WAITING));
    }
    return answer;
  }

  private void connect(List<String> addresses, CompletableFuture<Response> answer) {
    try {
      dataCentre.connect(addresses);
      answer.complete(new Response.DataCentresConnected());
    } catch (StablecutException e) {
      failures.ifAdmitted(
          more -> LOG.warn("data centres could not be connected: {}{}", e.getMessage(), more));
      answer.complete(new Response.DataCentresNotConnected(ErrorCode.BAD_REQUEST, NOT_CONNECTED));
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    }
  }

  private static CompletableFuture<Response> refused(ErrorCode code, String reason) {
    return CompletableFuture.completedFuture(new Response.DataCentresNotConnected(code, reason));
  }

  private static String text(Bytes descriptor) {
    return new String(descriptor.toArray(), UTF_8);
  }

  /** Returns this data centre's descriptor. */
  Response answer(Request.DescribeConnection request) {
    return new Response.ConnectionDescribed(Bytes.utf8(dataCentre.descriptor()));
  }

  /** Answers a request to create a data centre; a single name counts as this node's. */
  private Response created(Request.CreateDataCentre request) {
    int named = request.nodes().size();
    int count = nodes.getAsInt();
    if (named > 1 && named != count) {
      return new Response.DataCentreNotCreated(
          ErrorCode.BAD_REQUEST,
          "this data centre has %s, and the request names %d: name all of them, the contacted one, or none; more nodes join with stablecut serve --join"
              .formatted(count == 1 ? "one node" : count + " nodes", named));
    }
    return new Response.DataCentreCreated();
  }
}
