package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.network.HttpEvents;
import io.github.stablecut.cluster.internal.network.HttpHandler;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import io.github.stablecut.console.Console;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.UsageException;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Answers requests to the admin port while the server serves. Thread-safe. */
public final class AdminHandler implements HttpHandler {
  /** The longest time for which a leave can be announced. */
  private static final int MAX_ANNOUNCED_SECONDS = 60;

  private static final String ALIVE = "/alive";
  private static final String JSON = "application/json";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final ServerInfo facts;
  private final Metrics metrics;
  private final ConsoleHandler page;
  private final ObjectHandler objects;
  private final ExportHandler exports;
  private final AdminPortFile file;

  /**
   * A handler for a server.
   *
   * @param store the store, for the console and the objects
   * @param file the file in the store's directory that names this port
   */
  public AdminHandler(
      ServerInfo facts, Metrics metrics, Supplier<Store> store, AdminPortFile file) {
    this.file = file;
    this.facts = facts;
    this.metrics = metrics;
    this.objects = new ObjectHandler(store);
    this.exports = new ExportHandler(store, facts.directory(), facts);
    this.page = new ConsoleHandler(Console.of(new ServerConsole(facts, metrics, store)));
  }

  @Override
  public boolean isStream(HttpRequest call) {
    return exports.isStream(call) || objects.isStream(call) || page.isStream(call);
  }

  @Override
  public HttpEvents events(HttpRequest call) throws RefusedException {
    Optional<HttpResponse> refusal = KnownParameters.refusal(call);
    if (refusal.isPresent()) {
      throw new RefusedException(refusal.get());
    }
    if (exports.isStream(call)) {
      return exports.events(call);
    }
    return objects.isStream(call) ? objects.events(call) : page.events(call);
  }

  @Override
  public boolean isQuick(HttpRequest call) {
    return !call.isPost() && call.path().equals(ALIVE);
  }

  @Override
  public boolean isOfStore(HttpRequest call) {
    return objects.has(call) || page.isOfStore(call);
  }

  @Override
  public HttpResponse answer(HttpRequest call) {
    return KnownParameters.refusal(call).orElseGet(() -> call.isPost() ? change(call) : read(call));
  }

  private HttpResponse change(HttpRequest call) {
    try {
      switch (call.path()) {
        case "/api/v1/cluster/move" -> {
          long move = facts.move(number(call, "partition", 999_999_999), required(call, "node"));
          return new HttpResponse(
              202, JSON, "{\"move\":\"%s\"}\n".formatted(StatusReport.number(move)));
        }
        case "/api/v1/cluster/announce-leave" ->
            facts.announceLeave(
                call.parameter("by").orElse(""),
                Duration.ofSeconds(number(call, "seconds", MAX_ANNOUNCED_SECONDS)));
        case "/api/v1/cluster/leave" -> facts.leave();
        case "/api/v1/cluster/replace" ->
            facts.replace(required(call, "lost"), required(call, "by"));
        case "/api/v1/cluster/replicas" -> facts.changeReplicas(number(call, "number", 9));
        case "/api/v1/cluster/spread" -> facts.spreadReplicas(call.parameter("without"));
        case "/api/v1/cluster/lost" -> {
          return partitions(facts.partitionsLostWith(nodes(call)));
        }
        case "/api/v1/cluster/forget" -> {
          Set<Integer> agreed = numbers(required(call, "partitions"));
          facts.forget(nodes(call), agreed);
          return partitions(agreed);
        }
        case "/api/v1/dc/connect" -> facts.dataCentre().beginToJoin(required(call, "address"));
        case "/api/v1/dc/detach" -> facts.dataCentre().detach(number(call, "number", 999_999_999));
        case "/api/v1/dc/remove" -> facts.dataCentre().beginToLeave();
        case ObjectHandler.UPDATE -> {
          return objects.update(call);
        }
        default -> {
          return HttpResponse.text(
              404,
              "POST serves /api/v1/cluster/move, /api/v1/cluster/announce-leave,"
                  + " /api/v1/cluster/leave, /api/v1/cluster/replace, /api/v1/cluster/replicas,"
                  + " /api/v1/cluster/spread, /api/v1/cluster/lost, /api/v1/cluster/forget,"
                  + " /api/v1/dc/connect, /api/v1/dc/detach, /api/v1/dc/remove, /api/v1/update,"
                  + " /api/v1/backup, /api/v1/verify, /api/v1/inspect and /api/v1/journal, not "
                  + call.path());
        }
      }
      return new HttpResponse(202, JSON, "{\"begun\":true}\n");
    } catch (UsageException e) {
      return HttpResponse.text(409, String.valueOf(e.getMessage()));
    }
  }

  private static Set<String> nodes(HttpRequest call) {
    return Set.copyOf(List.of(required(call, "nodes").split(",", -1)));
  }

  /** Parses partition numbers separated by commas; the text may be empty. */
  private static Set<Integer> numbers(String text) {
    if (!text.matches("([0-9]{1,9}(,[0-9]{1,9})*)?")) {
      throw new MoveRefusedException(
          "partitions are numbers separated by commas, not \"%s\"".formatted(text));
    }
    return Arrays.stream(text.split(",", -1))
        .filter(number -> !number.isEmpty())
        .map(Integer::valueOf)
        .collect(Collectors.toSet());
  }

  private static HttpResponse partitions(Set<Integer> numbers) {
    String all = numbers.stream().sorted().map(String::valueOf).collect(Collectors.joining(","));
    return new HttpResponse(200, JSON, "{\"partitions\":[%s]}\n".formatted(all));
  }

  private static String required(HttpRequest call, String name) {
    return call.parameter(name)
        .orElseThrow(() -> new MoveRefusedException("the parameter " + name + " is missing"));
  }

  private static int number(HttpRequest call, String name, int max) {
    String text = required(call, name);
    if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) > max) {
      throw new MoveRefusedException(
          "%s is a number from 0 to %,d, not \"%s\"".formatted(name, max, text));
    }
    return Integer.parseInt(text);
  }

  private HttpResponse read(HttpRequest call) {
    return switch (call.path()) {
      case ALIVE -> HttpResponse.text(200, "alive");
      case "/ready" -> ready(call.parameter("all").isPresent());
      case "/metrics" -> new HttpResponse(200, PROMETHEUS, metrics.text());
      case "/api/v1/status" -> new HttpResponse(200, JSON, StatusReport.json(facts));
      case ObjectHandler.OBJECTS, ObjectHandler.BUCKETS, ObjectHandler.TABLES ->
          objects.answer(call);
      case "/" -> toConsole();
      case AdminPortFile.PATH -> proof(call.parameter("challenge").orElse(""));
      default ->
          page.has(call)
              ? page.answer(call)
              : HttpResponse.text(
                  404,
                  "GET serves /alive, /ready, /metrics, /api/v1/status, /api/v1/buckets,"
                      + " /api/v1/tables, /api/v1/objects, /api/v1/changes, /api/v1/export and /console, not "
                      + call.path());
    };
  }

  /** Leads a browser that was only given the port to the page. */
  private static HttpResponse toConsole() {
    return new HttpResponse(
        302,
        "text/plain; charset=utf-8",
        Bytes.utf8("the console is at " + Console.PATH + "\n"),
        Map.of("Location", Console.PATH));
  }

  private HttpResponse proof(String challenge) {
    try {
      return HttpResponse.text(200, file.proof(facts.directory(), challenge));
    } catch (IllegalArgumentException e) {
      return HttpResponse.text(400, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return HttpResponse.text(500, "the directory can't be read: " + IoReason.of(e));
    }
  }

  /**
   * A node is ready if it serves its own partitions. If an unreachable node made all others
   * unready, a load balancer would send no requests to the partitions that are available. The
   * parameter {@code all} includes all partitions and all their replicas.
   */
  private HttpResponse ready(boolean includesAll) {
    Optional<String> trouble = facts.trouble();
    if (trouble.isPresent()) {
      return HttpResponse.text(503, "not ready: " + trouble.get());
    }
    Optional<String> degradation = Degradation.of(facts);
    if (degradation.isPresent() && includesAll) {
      return HttpResponse.text(503, "not ready: " + degradation.get());
    }
    return HttpResponse.text(200, "ready" + degradation.map(what -> ", but " + what).orElse(""));
  }
}
