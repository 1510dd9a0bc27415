using System.IO.Compression;
using Sc2Bridge.Admission;

namespace Sc2Bridge.Server.Tests;

/// <summary>The live page's files, as a browser gets them.</summary>
public sealed class PageTests : IAsyncDisposable
{
    private static readonly string _script = string.Concat(Enumerable.Repeat("export const map = 1;\n", 100));
    private readonly Hub _hub = new(new HubOptions());
    private readonly HttpClient _http = new(new SocketsHttpHandler { UseProxy = false });
    private BridgeServer? _server;

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        _hub.Dispose();
        await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
    }

    [Theory]
    [InlineData("", "text/html; charset=utf-8", "<h1>page</h1>")]
    [InlineData("index.html", "text/html; charset=utf-8", "<h1>page</h1>")]
    [InlineData("assets/map.js?v=1", "text/javascript; charset=utf-8", null)]
    [InlineData("icon.svg", "image/svg+xml", "<svg/>")]
    public async Task A_file_comes_with_its_type_and_may_do_nothing_but_load_from_here(string path, string type, string? content)
    {
        await StartAsync();
        using var answer = await GetAsync(path);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal(type, $"{answer.Content.Headers.ContentType}");
        Assert.Equal(content ?? _script, await answer.Content.ReadAsStringAsync(Ct));
        var policy = Assert.Single(answer.Headers.GetValues("Content-Security-Policy"));
        Assert.All(
            ["default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"],
            rule => Assert.Contains(rule, policy, StringComparison.Ordinal));
        Assert.DoesNotContain("unsafe", policy, StringComparison.Ordinal);
        Assert.Equal("nosniff", Assert.Single(answer.Headers.GetValues("X-Content-Type-Options")));
        Assert.Equal("same-origin", Assert.Single(answer.Headers.GetValues("Cross-Origin-Resource-Policy")));
    }

    [Theory]
    [InlineData("gzip, deflate, br", true)]
    [InlineData("br, gzip;q=0.5", true)]
    [InlineData("gzip;q=0", false)]
    [InlineData("br", false)]
    public async Task It_is_sent_compressed_to_who_takes_that_and_not_again_where_it_is_the_same(string accepted, bool gzips)
    {
        await StartAsync();
        using var first = await GetAsync("assets/map.js", ("Accept-Encoding", accepted));
        var bytes = await first.Content.ReadAsByteArrayAsync(Ct);
        Assert.Equal(gzips ? ["gzip"] : [], first.Content.Headers.ContentEncoding);
        Assert.Equal(["Accept-Encoding"], first.Headers.Vary);
        if (gzips)
        {
            Assert.InRange(bytes.Length, 1, _script.Length / 4);
            using var reader = new StreamReader(new GZipStream(new MemoryStream(bytes), CompressionMode.Decompress));
            Assert.Equal(_script, await reader.ReadToEndAsync(Ct));
        }
        else
        {
            Assert.Equal(_script, System.Text.Encoding.UTF8.GetString(bytes));
        }

        using var again = await GetAsync(
            "assets/map.js", ("Accept-Encoding", accepted), ("If-None-Match", $"{first.Headers.ETag}"));
        Assert.Equal(HttpStatusCode.NotModified, again.StatusCode);
        using var other = await GetAsync("assets/map.js", ("Accept-Encoding", accepted), ("If-None-Match", "\"other\""));
        Assert.Equal(HttpStatusCode.OK, other.StatusCode);
    }

    [Theory]
    [InlineData("Host", "rebound.example.com", 421)]
    [InlineData("Origin", "http://evil.example.com", 403)]
    [InlineData("Origin", "null", 403)]
    [InlineData("Origin", "http://localhost:3000", 200)]
    public async Task Only_this_machines_names_and_pages_get_it(string header, string value, int status)
    {
        await StartAsync();
        foreach (var path in (string[])["", "assets/map.js"])
        {
            using var answer = await GetAsync(path, (header, value));
            Assert.Equal(status, (int)answer.StatusCode);
            Assert.Equal(status == 200, answer.Headers.Contains("Content-Security-Policy"));
        }
    }

    [Theory]
    [InlineData("GET", "other.js", 404)]
    [InlineData("GET", "assets", 404)]
    [InlineData("GET", "assets/%2e%2e/%2e%2e/etc/passwd", 404)]
    [InlineData("GET", "..%2fetc%2fpasswd", 404)]
    [InlineData("HEAD", "", 200)]
    [InlineData("POST", "", 405)]
    [InlineData("DELETE", "index.html", 405)]
    public async Task Nothing_else_is_there(string method, string path, int status)
    {
        await StartAsync();
        using var request = new HttpRequestMessage(new HttpMethod(method), $"http://{_server!.WebAddress}/{path}");
        using var answer = await _http.SendAsync(request, Ct);
        Assert.Equal(status, (int)answer.StatusCode);
    }

    [Fact]
    public async Task Beyond_this_machine_it_takes_no_token_and_what_it_shows_does()
    {
        await StartAsync(options => options with
        {
            WebAddress = "0.0.0.0:0",
            Tokens = TokenStore.Empty.With("watch-token-0123456789", new Identity("watcher", Roles.Watch)),
        });
        var at = $"127.0.0.1:{_server!.WebAddress.Split(':')[1]}";
        using var page = await _http.GetAsync(new Uri($"http://{at}/"), Ct);
        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
        using var stream = await _http.GetAsync(new Uri($"http://{at}/v1"), Ct);
        Assert.Equal(HttpStatusCode.Unauthorized, stream.StatusCode);
    }

    [Fact]
    public async Task It_can_be_left_out()
    {
        await StartAsync(options => options with { ServesPage = false });
        using var answer = await GetAsync("");
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
    }

    [Fact]
    public async Task The_port_of_gRPC_has_none()
    {
        await StartAsync(options => options with { GrpcAddress = "127.0.0.1:0" });
        using var request = new HttpRequestMessage(HttpMethod.Get, $"http://{_server!.GrpcAddress}/")
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        using var answer = await _http.SendAsync(request, Ct);
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
    }

    [Fact]
    public async Task A_program_of_its_own_serves_the_page_or_says_how_to_get_it()
    {
        await StartAsync(options => options with { PageFiles = null });
        var html = await _http.GetStringAsync(new Uri($"http://{_server!.WebAddress}/"), Ct);
        var isBuilt = typeof(BridgeServer).Assembly.GetManifestResourceNames().Any(name => name.StartsWith("page/", StringComparison.Ordinal));
        Assert.Equal(!isBuilt, html.Contains("tools/set-up --page", StringComparison.Ordinal));
        Assert.Equal(isBuilt, html.Contains("<script", StringComparison.Ordinal));
    }

    private async Task StartAsync(Func<BridgeServerOptions, BridgeServerOptions>? change = null)
    {
        var options = new BridgeServerOptions
        {
            GrpcAddress = null,
            WebAddress = "127.0.0.1:0",
            PageFiles =
            [
                new("index.html", "<h1>page</h1>"u8.ToArray()), new("icon.svg", "<svg/>"u8.ToArray()),
                new("assets/map.js", System.Text.Encoding.UTF8.GetBytes(_script)),
            ],
        };
        _server = await BridgeServer.StartAsync(_hub, change?.Invoke(options) ?? options, Ct);
    }

    private Task<HttpResponseMessage> GetAsync(string path, params (string Name, string Value)[] headers)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, $"http://{_server!.WebAddress}/{path}");
        foreach (var (name, value) in headers)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return _http.SendAsync(request, Ct);
    }
}
