using System.Diagnostics;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

/// <summary>A file that is only found cannot start programs, let others in, name other machines or write elsewhere.</summary>
public sealed class FoundFileTests
{
    // A new option, or one of these for another command, is refused until it is decided here and in FoundFileRules whether it is harmless.
    private const string Decided = """
        doctor: game game-deadline game-port grpc json map no-color quiet start-deadline verbose web
        export: arrow jobs json no-color parquet quiet verbose
        inspect: from json loop no-color observe quiet to verbose
        ladder: agent-deadline agent-timeout codec-log crop deflate disable-fog feature-layers game-deadline grpc json lockstep-deadline log-level memory no-agents no-color no-recording no-score out pause-deadline policy quiet recording show-burrowed-shadows show-cloaked show-placeholders step-size trace-steps verbose wait web
        match: agent-deadline agent-timeout api-deadline api-port codec-log crop deflate disable-fog feature-layers forfeit game game-deadline game-port games grpc json keep-bytes keep-games ladder-rules lockstep-deadline log-level map memory no-agents no-color no-page no-recording no-score observations observe out pause-deadline player policy publish-bytes publish-days quiet rate recording restarts scenario seed show-burrowed-shadows show-cloaked show-placeholders start-deadline step-size steps stop-at-input-end tag trace-steps verbose wait web
        record: crop disable-fog feature-layers game game-deadline game-port jobs json log-level map no-color no-score observe out publish-bytes publish-days quiet show-burrowed-shadows show-cloaked show-placeholders start-deadline step-size tag verbose
        relay: agent-deadline agent-timeout codec-log deflate from grpc json lockstep-deadline log-level match memory no-agents no-color no-page out pause-deadline policy quiet rate trace-steps verbose wait web
        replay: agent-deadline agent-timeout codec-log crop deflate disable-fog feature-layers from game game-deadline game-port grpc json lockstep-deadline log-level loop map memory no-agents no-color no-page no-recording no-score observe out pause-deadline paused policy publish-bytes publish-days quiet rate recording show-burrowed-shadows show-cloaked show-placeholders start-deadline step-size tag to trace-steps verbose wait web
        """;

    [Fact]
    public void Each_option_of_each_command_is_decided() => Assert.Equal(
        Decided,
        string.Join('\n', ConfigurationCase.Make().Options.ReadingCommands.OrderBy(command => command.Name, StringComparer.Ordinal).Select(command =>
            $"{command.Name}: {string.Join(' ', ConfigurationFile.OptionsOf(command).Select(ConfigurationFile.KeyOf).Where(IsAllowed).Order(StringComparer.Ordinal))}")));

    [Theory]
    [InlineData("agent", "python", "agent-env", "insecure", "tokens", "tls-cert", "tls-key", "tls-self-signed", "tls-client-ca", "allow-origin", "allow-host")]
    [InlineData("open-perspectives", "open", "publish", "otlp", "attach", "store", "shm", "play", "fights", "picture", "map-picture", "video", "repair", "foxglove")]
    [InlineData("max-connections", "max-subscriptions", "of-tomorrow")]
    public void Harmful_options_are_refused_with_any_value(params string[] keys) => Assert.All(keys, key => Assert.False(IsAllowed(key), key));

    [Theory]
    [InlineData("out", true, "a", "a/b", "./a", "a b", "out/a..b/c..")]
    [InlineData("out", false, "", "/a", "..", "../a", "a/../b", "a/..", @"..\a", @"\\host\share", @"\a", "C:/a", "C:a", "s3://a/b", ".git/a", "a/.ssh", "a\0b")]
    [InlineData("json", true, "-")]
    [InlineData("json", false, "a.json", "./-")]
    [InlineData("map", true, "Cinder Fortress LE", "maps/A.SC2Map")]
    [InlineData("map", false, "/maps/A.SC2Map", @"\\host\share\A.SC2Map")]
    [InlineData("web", true, "127.0.0.1:0", "127.1.2.3:8765", "[::1]:80", "localhost:0", "LOCALHOST:0")]
    [InlineData("web", false, "0.0.0.0:0", "[::]:0", "*:80", "1.2.3.4:1", "host.example:1", "localhost.example:1", "unix:/tmp/a", "unix:a", "unix:127.0.0.1:1", "127.0.0.1", "", "[::ffff:127.0.0.1]:0")]
    public void A_value_may_not_lead_elsewhere(string key, bool isAllowed, params string[] values) =>
        Assert.All(values, value => Assert.True(isAllowed == FoundFileRules.Allows(key, value), value));

    [Theory]
    [InlineData("web", "127.0.0.1", "web: '127.0.0.1' is not an address: write host:port")]
    [InlineData("grpc", "127.0.0.1:99999", "grpc: '127.0.0.1:99999' is not an address: write host:port")]
    [InlineData("web", "0.0.0.0:0", "web = 0.0.0.0:0 needs --config")]
    [InlineData("web", "unix:a", "web = unix:a needs --config")]
    [InlineData("out", "..", "out = .. needs --config")]
    public void A_refusal_says_first_what_is_no_address(string key, string value, string words) =>
        Assert.StartsWith(words, FoundFileRules.DescribeRefusal("a.toml", key, value), StringComparison.Ordinal);

    [Fact]
    public void A_folder_and_a_dead_link_are_found_and_an_empty_file_is_not_and_a_pipe_is_an_error()
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-found-").FullName;
        try
        {
            var (file, link, pipe) = (Path.Combine(folder, "file"), Path.Combine(folder, "link"), Path.Combine(folder, "pipe"));
            Assert.False(FoundFileRules.Exists(file));
            File.WriteAllText(file, "");
            Assert.False(FoundFileRules.Exists(file));
            File.WriteAllText(file, "a");
            Assert.True(FoundFileRules.Exists(file));
            Assert.True(FoundFileRules.Exists(folder));
            File.CreateSymbolicLink(link, "nowhere");
            Assert.True(FoundFileRules.Exists(link));
            if (!OperatingSystem.IsWindows())
            {
                using var made = Process.Start("mkfifo", [pipe]);
                Assert.True(made.WaitForExit(10_000));
                Assert.EndsWith("pipe is a pipe: make it a file, or name it with --config", Assert.Throws<CommandException>(() => FoundFileRules.Exists(pipe)).Message, StringComparison.Ordinal);
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void A_path_may_not_lead_through_a_link()
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-found-").FullName;
        try
        {
            Directory.CreateDirectory(Path.Combine(folder, "real"));
            Directory.CreateSymbolicLink(Path.Combine(folder, "link"), "/");
            Assert.True(FoundFileRules.IsBelow("real/a", folder));
            Assert.False(FoundFileRules.IsBelow("link", folder));
            Assert.False(FoundFileRules.IsBelow("link/tmp/a", folder));

            // On Windows, a backslash separates folders, and git~1 may be the short name of a hidden one.
            Assert.Equal(OperatingSystem.IsWindows(), FoundFileRules.IsBelow(@"real\a", folder));
            Assert.Equal(!OperatingSystem.IsWindows(), FoundFileRules.IsBelow("git~1/a", folder));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static bool IsAllowed(string key) => ((string[])["1", "true", "a", "-", "127.0.0.1:0"]).Any(value => FoundFileRules.Allows(key, value));
}
