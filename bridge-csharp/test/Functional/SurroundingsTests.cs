using System.Net;
using System.Net.Sockets;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Machines that lack something that a match needs.</summary>
public sealed class SurroundingsTests : MatchFolderTests
{
    [Theory]
    [InlineData("--grpc")]
    [InlineData("--web")]
    public async Task An_address_in_use_is_named_before_a_game_starts(string option)
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var ended = await Folder.PlayAsync(option, taken.LocalEndpoint.ToString()!);
        ended.Says(
            2, $"The address {taken.LocalEndpoint} is in use: stop the program that listens there, or choose another address with {option}:",
            $"{option} 127.0.0.1:0 takes a free port");
        Assert.Equal("", ended.Output);
    }

    [Fact]
    public async Task A_folder_that_cannot_be_written_to_is_named_before_a_game_starts()
    {
        var file = Path.Combine(Folder.Path, "file");
        await File.WriteAllTextAsync(file, "", Ct);
        var ended = await Folder.PlayAsync("--out", Path.Combine(file, "below"));
        ended.Says(2, $"cannot write to the output folder {file}/below", "name another folder with --out");
        Assert.Equal("", ended.Output);
    }

    [Fact]
    public async Task An_agent_gets_what_Python_needs_and_what_is_named_and_no_secret()
    {
        using (var match = Folder.Match(
            ["--steps", "2", "--agent", "surveyor:Surveyor"], [("COLLECT", Folder.Path), ("SC2BRIDGE_NAMED", "1"), ("SC2BRIDGE_CA", "ca.pem")],
            "env", "SC2PATH=/there/is/none", "SC2BRIDGE_BROKER_USER=user", "SC2BRIDGE_BROKER_PASSWORD=secret", "AWS_SECRET_ACCESS_KEY=secret", "SC2BRIDGE_TOKENS=play secret-of-16-letters", "SC2BRIDGE_TLS_PASSWORD=secret",
            "GITHUB_TOKEN=secret", "OMP_NUM_THREADS=1", "LC_ALL=C.UTF-8"))
        {
            (await match.EndAsync()).Well();
        }

        var got = System.Text.Json.JsonSerializer.Deserialize<string[]>(await File.ReadAllTextAsync(
            Path.Combine(Folder.Path, "environment"), Ct))!;
        Assert.Superset(
            new HashSet<string> { "COLLECT", "HOME", "LC_ALL", "OMP_NUM_THREADS", "PATH", "PYTHONPATH", "SC2PATH" }, got.ToHashSet());
        Assert.DoesNotContain(got, name => name is "AWS_SECRET_ACCESS_KEY" or "GITHUB_TOKEN");
        Assert.Equal(["SC2BRIDGE_NAMED"], got.Where(name => name.StartsWith("SC2BRIDGE_", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Without_shared_memory_agents_use_the_WebSocket_and_shm_reports_why()
    {
        // As a container's filter of system calls does it (seccomp(2)): memfd_create fails.
        const string Without = """
            import ctypes, os, platform, struct, sys

            number = {"x86_64": 319, "aarch64": 279}[platform.machine()]
            steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7FFF0000)]
            code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
            program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
                sys.exit(os.strerror(ctypes.get_errno()))
            os.execvp(sys.argv[1], sys.argv[1:])
            """;
        string[] wrapper = [MatchFolder.Python, "-c", Without];
        using (var match = Folder.Match(["--steps", "5", "--agent", "sc2bridge.agents:Watcher"], [], wrapper))
        {
            (await match.EndAsync()).Well();
        }

        Assert.Equal(["watcher-1-proto"], Folder.Agents().Rows.Select(row => row["agent"]).Distinct());
        using var refused = Folder.Match(
            ["--steps", "5", "--out", Path.Combine(Folder.Path, "refused"), "--agent", "sc2bridge.agents:Watcher@shm"], [], wrapper);
        (await refused.EndAsync()).Says(1, "sc2bridge.agents:Watcher@shm: this system gives no shared memory (memfd_create: ", "Choose @grpc");
    }

    [Fact]
    public async Task An_output_that_is_not_read_blocks_neither_a_match_nor_a_recording_of_a_game()
    {
        using (var match = Folder.Match(["--steps", "20"], [], FullPipe("match")))
        {
            await match.UntilAsync(() => File.Exists(Path.Combine(Folder.Out, "summary.json")));
            Read("match");
            (await match.EndAsync()).Well();
        }

        string[] play = ["simulate", "--recording", Path.Combine(Folder.Out, "match.mcap"), "-port", $"{FreePorts.Find()}"];
        using var game = BridgeProcess.Start([.. FullPipe("game"), .. BridgeProcess.Program, .. play]);
        using var client = new System.Net.WebSockets.ClientWebSocket();
        await game.UntilAsync(() => Listens(int.Parse(play[^1])));
        await client.ConnectAsync(
            new Uri($"ws://127.0.0.1:{play[^1]}/sc2api"), Ct);
        foreach (var request in (byte[][])[[0x9a, 0x01, 0x00], [0x42, 0x00]])
        {
            // Ping and quit.
            await client.SendAsync(request, System.Net.WebSockets.WebSocketMessageType.Binary, true, Ct);
            using var late = new CancellationTokenSource(TimeSpan.FromSeconds(20));
            Assert.NotEqual(0, (await client.ReceiveAsync(new byte[4096], late.Token)).Count);
        }

        Read("game");
        (await game.EndAsync()).Well();
    }

    [Fact]
    public async Task A_full_disk_is_one_line_and_the_match_continues_to_its_end()
    {
        Directory.CreateDirectory(Folder.Out);
        foreach (var log in new[] { "steps.csv.partial", "agents.csv.partial", "summary.json.partial" })
        {
            File.CreateSymbolicLink(Path.Combine(Folder.Out, log), "/dev/full");
        }

        var ended = await Folder.PlayAsync("--steps", "20", "--agent", "sc2bridge.agents:Watcher");
        ended.Says(1, "could not be written", "No space left on device", "make room or choose another");
        Assert.Contains("20 frames, loops 0-19", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task On_a_full_disk_one_line_names_every_file_and_no_half_summary_is_left()
    {
        var disk = new SmallDisk(Folder);
        var listing = Path.Combine(Folder.Path, "listing");
        var around = await disk.AroundAsync($"ls {disk.Path}/out >{listing}", full: true);
        using var match = Folder.Match(["--steps", "20", "--out", $"{disk.Path}/out"], [], around);
        var ended = await match.EndAsync();
        ended.Says(
            1, "could not be written (No space left on device", "Could not be written either: ", "steps.csv",
            "agents.csv", $"{disk.Path}/out/match.mcap", $"{disk.Path}/out/summary.json");
        Assert.Contains("ended (step limit)", ended.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("summary.json", await File.ReadAllLinesAsync(listing, Ct));
    }

    [Fact]
    [Trait("Suite", "Quick")]
    public async Task The_launcher_at_the_repositorys_root_plays_a_match()
    {
        var root = PeerEnvironment.RepositoryRoot;
        var launcher = Path.Combine(root, "sc2bridge");
        Assert.SkipUnless(
            File.Exists(Path.Combine(root, ".setup/python")), "the launcher's set-up has not run; tools/test runs it");
        using var match = BridgeProcess.Start(
            [
                launcher, "match", "--game", "simulated", "--steps", "20", "--rate", "max", "--out", Folder.Out,
                "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0",
            ]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains("simulated", ended.Output, StringComparison.Ordinal);
        Folder.Steps().Complete(20);
        Folder.AgentsHeard("watcher-1-grpc", "watcher-2-json");
    }

    // A program's output and errors go to a full pipe, until the test reads it.
    private string[] FullPipe(string name)
    {
        var pipe = Path.Combine(Folder.Path, name);
        return ["sh", "-c", $"mkfifo {pipe} && exec 3<>{pipe} && head -c 65536 /dev/zero >&3 && exec \"$@\" >&3 2>&3", "sh"];
    }

    private void Read(string name) => _ = Task.Run(async () =>
    {
        await using var pipe = File.OpenRead(Path.Combine(Folder.Path, name));
        await pipe.CopyToAsync(Stream.Null);
    });

    private static bool Listens(int port)
    {
        try
        {
            new TcpClient("127.0.0.1", port).Dispose();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
