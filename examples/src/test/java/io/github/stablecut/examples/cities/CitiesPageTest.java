package io.github.stablecut.examples.cities;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.web.WebServer;
import io.github.stablecut.web.testing.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests of the page of the cities. All tests use the same cities, as visitors do. */
final class CitiesPageTest {
  private static final int OSLO = 0;
  private static final int NAIROBI = 1;
  private static final int LIMA = 2;

  @TempDir private static Path directory;

  private static Cities cities;
  private static WebServer server;
  private static Client client;

  @BeforeAll
  static void open() throws IOException {
    cities = Cities.open(directory);
    server =
        WebServer.start(
            CitiesPage.of(cities), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    client = new Client(server.uri());
  }

  @AfterAll
  static void close() {
    server.close();
    cities.close();
  }

  @AfterEach
  void heal() {
    cable(OSLO, NAIROBI, "fast");
    cable(OSLO, LIMA, "fast");
    cable(NAIROBI, LIMA, "fast");
  }

  private static void cable(int one, int other, String state) {
    String json = "{'one':%d,'other':%d,'state':'%s'}".formatted(one, other, state);
    assertThat(client.post("/api/cables", json).status()).isEqualTo(200);
  }

  private static void cutOffLima() {
    cable(OSLO, LIMA, "cut");
    cable(NAIROBI, LIMA, "cut");
  }

  private static String post(int city, String text) {
    return created(client.post("/api/posts", "{'city':%d,'text':'%s'}".formatted(city, text)));
  }

  @CanIgnoreReturnValue
  private static String comment(int city, String post, String text) {
    return created(
        client.post(
            "/api/comments", "{'city':%d,'post':'%s','text':'%s'}".formatted(city, post, text)));
  }

  private static void like(int city, String post) {
    String json = "{'city':%d,'post':'%s'}".formatted(city, post);
    assertThat(client.post("/api/likes", json).status()).isEqualTo(200);
  }

  private static String created(Client.Answer answer) {
    assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
    return answer.body().get("id").asText();
  }

  private static JsonNode city(JsonNode state, int city) {
    return state.get("cities").get(city);
  }

  private static boolean has(JsonNode list, String id) {
    return StreamSupport.stream(list.spliterator(), false)
        .anyMatch(element -> element.get("id").asText().equals(id));
  }

  private static void awaitPost(int city, String post) {
    client.await("/api/state", state -> has(city(state, city).get("posts"), post));
  }

  @CanIgnoreReturnValue
  private static JsonNode awaitComment(int city, String mode, String comment) {
    return client.await(
        "/api/state", state -> has(city(state, city).get(mode).get("comments"), comment));
  }

  private static boolean areEqual(JsonNode state) {
    return state.get("cities").findValues("posts").stream().distinct().count() == 1
        && state.get("cities").findValues("seats").stream().distinct().count() == 1
        && state.get("cities").findValues("causal").stream()
                .map(comments -> comments.get("comments"))
                .distinct()
                .count()
            == 1;
  }

  @Test
  void servesThePageAndItsParts() {
    assertThat(client.get("/api/state").body().get("cities").findValuesAsText("name"))
        .containsExactly("Oslo", "Nairobi", "Lima");
    for (String path : new String[] {"/", "/cities.js", "/pane.js", "/cables.js", "/scene.js"}) {
      assertThat(client.text(path)).as(path).containsIgnoringCase("cit");
    }
  }

  @Test
  void allCitiesConvergeAfterACut() {
    String before = post(OSLO, "before");
    awaitPost(LIMA, before);
    awaitPost(NAIROBI, before);
    cutOffLima();
    String here = post(OSLO, "here");
    String there = post(LIMA, "there");
    comment(LIMA, before, "I am alone");
    like(NAIROBI, before);
    like(LIMA, before);
    awaitPost(NAIROBI, here);
    JsonNode apart = client.get("/api/state").body();
    assertThat(has(city(apart, LIMA).get("posts"), here)).isFalse();
    assertThat(has(city(apart, OSLO).get("posts"), there)).isFalse();

    heal();

    // Each city may show one like, its own or another one, while both are in transit.
    JsonNode together =
        client.await(
            "/api/state",
            state ->
                areEqual(state)
                    && has(city(state, OSLO).get("posts"), there)
                    && likes(city(state, LIMA), before) == 2);
    assertThat(has(city(together, LIMA).get("posts"), here)).isTrue();
  }

  private static int likes(JsonNode city, String post) {
    for (JsonNode found : city.get("posts")) {
      if (found.get("id").asText().equals(post)) {
        return found.get("likes").asInt();
      }
    }
    return 0;
  }

  @Test
  void onlyEventualReadersSeeACommentBeforeItsPost() {
    JsonNode state;
    do {
      heal();
      cable(OSLO, LIMA, "slow");
      String post = post(OSLO, "my ring is lost");
      awaitPost(NAIROBI, post);
      String comment = comment(NAIROBI, post, "I have it");
      awaitComment(LIMA, "eventual", comment);
      state = awaitComment(LIMA, "causal", comment);
      assertThat(has(city(state, LIMA).get("posts"), post)).isTrue();
    } while (city(state, LIMA).get("eventual").get("orphansSeen").asInt() == 0);

    for (JsonNode city : state.get("cities")) {
      assertThat(city.get("causal").get("orphansSeen").asInt()).isZero();
    }
  }

  @Test
  void sellsNoSeatTwiceWithoutCoordination() {
    assertThat(client.post("/api/gifts", "{'city':0,'to':2}").status()).isEqualTo(200);
    client.await("/api/state", state -> rights(state, LIMA).toString().equals("[3,4,5]"));
    cutOffLima();
    cable(OSLO, NAIROBI, "cut");

    assertThat(sales(OSLO)).isEqualTo(3);
    assertThat(sales(NAIROBI)).isEqualTo(4);
    assertThat(sales(LIMA)).isEqualTo(5);
    Client.Answer refused = client.post("/api/sales", "{'city':2}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.error()).contains("Lima has no seat left");
    assertThat(client.post("/api/gifts", "{'city':0,'to':1}").status()).isEqualTo(409);
    JsonNode apart = client.get("/api/state").body();
    assertThat(rights(apart, OSLO).toString()).isEqualTo("[0,4,5]");

    heal();

    var healed =
        client.await("/api/state", state -> rights(state, OSLO).toString().equals("[0,0,0]"));
    assertThat(rights(healed, OSLO).size()).isEqualTo(3);
  }

  private static JsonNode rights(JsonNode state, int city) {
    return city(state, city).get("seats").get("rights");
  }

  /** Sells as many seats as possible, and returns their number. */
  private static int sales(int city) {
    int sold = 0;
    while (client.post("/api/sales", "{'city':" + city + "}").status() == 200) {
      sold++;
    }
    return sold;
  }

  @Test
  void theEventsCarryTheState() {
    try (Client.Events events = client.events("/api/events")) {
      assertThat(events.next().get("cities")).hasSize(3);
      String post = post(NAIROBI, "on the air");
      JsonNode told = events.next();
      while (!has(city(told, LIMA).get("posts"), post)) {
        told = events.next();
      }
    }
  }

  @Test
  void explainsRefusedRequests() {
    assertThat(client.post("/api/posts", "{'city':0,'text':'  '}").error()).contains("is empty");
    String tooLong = "x".repeat(CitiesPage.LONGEST + 1);
    Client.Answer refused = client.post("/api/posts", "{'city':0,'text':'" + tooLong + "'}");
    assertThat(refused.status()).isEqualTo(413);
    assertThat(refused.error()).isEqualTo("text has 281 characters; the maximum is 280");
    assertThat(client.post("/api/posts", "{'city':3,'text':'a'}").error())
        .isEqualTo("city is a number, 0 to 2, not 3");
    assertThat(client.post("/api/posts", "{'city':0,'text':'\\ud800'}").error())
        .contains("surrogate");
    assertThat(client.post("/api/comments", "{'city':0,'post':'none','text':'a'}").error())
        .contains("this post does not exist in Oslo");
    assertThat(client.post("/api/likes", "{'city':1,'post':'none'}").status()).isEqualTo(404);
    assertThat(client.post("/api/gifts", "{'city':1,'to':1}").error()).contains("itself");
    assertThat(client.post("/api/cables", "{'one':1,'other':1,'state':'cut'}").error())
        .contains("two cities");
    assertThat(client.post("/api/cables", "{'one':0,'other':1,'state':'torn'}").error())
        .isEqualTo("state must be one of [fast, slow, cut], not torn");
  }

  @Test
  void thePageShowsOnlyTheNewestPosts() {
    String last = "";
    for (int i = 0; i < 25; i++) {
      last = post(OSLO, "number " + i);
    }

    JsonNode posts = city(client.get("/api/state").body(), OSLO).get("posts");
    assertThat(posts).hasSize(20);
    assertThat(posts.get(0).get("id").asText()).isEqualTo(last);
  }
}
