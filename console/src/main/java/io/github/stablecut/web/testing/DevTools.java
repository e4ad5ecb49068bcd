package io.github.stablecut.web.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The DevTools protocol over a WebSocket: calls with answers, and events. Thread-safe. */
final class DevTools implements WebSocket.Listener, AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final AtomicInteger calls = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final List<JsonNode> events = new CopyOnWriteArrayList<>();
  private final StringBuilder partial = new StringBuilder();
  private final CompletableFuture<WebSocket> socket = new CompletableFuture<>();

  private DevTools() {}

  static DevTools connect(URI address) {
    DevTools tools = new DevTools();
    tools.socket.complete(
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(address, tools).join());
    return tools;
  }

  /**
   * Calls a method and waits for its answer.
   *
   * @param session the page's session; empty for the browser
   */
  JsonNode call(String session, String method, ObjectNode parameters) {
    int id = calls.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    ObjectNode call = JSON.createObjectNode().put("id", id).put("method", method);
    call.set("params", parameters);
    if (!session.isEmpty()) {
      call.put("sessionId", session);
    }
    socket.join().sendText(call.toString(), true).join();
    JsonNode found = answer.join();
    if (found.has("error")) {
      throw new AssertionError(method + " was refused: " + found.get("error"));
    }
    return found.get("result");
  }

  List<JsonNode> events() {
    return List.copyOf(events);
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    partial.append(data);
    if (last) {
      receive(partial.toString());
      partial.setLength(0);
    }
    from.request(1);
    return CompletableFuture.completedStage(null);
  }

  private void receive(String text) {
    try {
      JsonNode message = JSON.readTree(text);
      CompletableFuture<JsonNode> awaited = answers.remove(message.path("id").asInt(-1));
      if (awaited == null) {
        events.add(message);
      } else {
        awaited.complete(message);
      }
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void onError(WebSocket from, Throwable failure) {
    fail(failure);
  }

  @Override
  public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
    fail(new IllegalStateException("the browser has closed the connection: " + reason));
    return CompletableFuture.completedStage(null);
  }

  private void fail(Throwable failure) {
    answers.values().forEach(answer -> answer.completeExceptionally(failure));
  }

  @Override
  public void close() {
    socket.join().abort();
  }
}
