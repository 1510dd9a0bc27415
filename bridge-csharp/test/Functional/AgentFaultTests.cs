using System.Net.WebSockets;
using System.Security.Cryptography;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.V1;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Playing agents that are killed, frozen or crash. Other agents continue, and no data is lost.</summary>
public sealed class AgentFaultTests : MatchFolderTests
{
    private static readonly int _killed = Cases.Of(50);
    private static readonly string[] _players = ["--player", "agent:terran", "--player", "computer:zerg:VeryEasy"];

    [Fact]
    public async Task Agents_killed_at_any_moment_lose_no_earlier_data_and_the_others_continue()
    {
        using var match = Folder.Match(
        [
            .. _players, "--wait", "1", "--steps", "1000000", "--rate", "200", "--policy", "every",
            "--agent", "sc2bridge.agents:Watcher",
        ]);
        var (grpc, web) = await AddressesAsync(match);
        using var holder = await AgentSocket.ConnectAsync($"ws://{web}/v1", "sc2bridge.proto.v1");
        await holder.SendAsync(new PlayRequest
        {
            Subscribe = new() { Agent = "holder", Policy = Policy.Lockstep, CanAct = true },
        });
        using var mortals = BridgeProcess.Start([MatchFolder.Python, "mortals.py", "killed", $"{_killed}", grpc, web]);
        var ends = mortals.EndAsync();
        var (heard, told, stopped) = (new List<string>(), 0, false);
        while (await holder.ReceiveAsync() is { } happened)
        {
            told += happened.ActionsOutcome?.Outcomes.Count ?? 0;
            if (happened.Frame is not { } frame)
            {
                continue;
            }

            told += frame.Outcomes.Sum(result => result.Outcomes.Count);
            Assert.Equal((ulong)heard.Count, frame.Step);
            heard.Add(Digest(frame.Observation));
            var chat = new SC2APIProtocol.Action { ActionChat = new() };
            var acts = new Actions { Step = frame.Step, Actions_ = { chat } };
            await holder.SendAsync(new PlayRequest { Acknowledge = new() { Step = frame.Step, Actions = { acts } } });
            if (ends.IsCompleted && !stopped)
            {
                stopped = true;
                match.Signal(BridgeProcess.Interrupt);
            }
        }

        var killed = await ends;
        killed.Well();
        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);

        // The recording has each observation that the reader received, and each outcome that an agent received, with its name.
        Folder.Steps().Complete(heard.Count);
        Assert.Contains("ms to decode one: stopped", ended.Told, StringComparison.Ordinal);
        using var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Null(recording.Problem);
        Assert.Empty(recording.ReadGaps());
        Assert.Equal(EndReason.Stopped, recording.ReadEnd()?.Reason);
        Assert.Equal(heard, Recorded(recording).Take(heard.Count));
        var acted = recording.Actions().GroupBy(record => record.Agent)
            .ToDictionary(group => group.Key, group => group.Sum(record => record.Outcome.Outcomes.Count));
        Assert.InRange(told, heard.Count - 2, acted["holder"]);
        var lives = killed.Output.Split('\n').Select(line => line.Split(' ')).ToList();
        Assert.Equal(_killed, lives.Count);
        Assert.All(lives, life => Assert.InRange(int.Parse(life[1]), 0, acted.GetValueOrDefault(life[0])));
        Assert.True(lives.Count(life => life[1] != "0") > _killed / 5, killed.Output);
        Assert.All(
            lives.Where(life => life[1] != "0"),
            life => Assert.Contains($"'{life[0]}', which played player 1,", ended.Told, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Frozen_agents_are_dropped_after_a_time_limit_and_their_side_forfeits()
    {
        using var match = Folder.Match(
        [
            .. _players, "--wait", "3", "--steps", "1000000", "--policy", "every",
            "--agent", "sc2bridge.agents:Watcher", "--forfeit", "--lockstep-deadline", "0.3", "--pause-deadline", "1",
            "--agent-timeout", "1",
        ]);
        var (grpc, web) = await AddressesAsync(match);
        using var frozen = BridgeProcess.Start([MatchFolder.Python, "mortals.py", "frozen", grpc, web]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains("agent 'frozen-lockstep' was dropped at step", ended.Told, StringComparison.Ordinal);
        Assert.Contains("3 deadlines of 0.3 s have passed without an answer", ended.Told, StringComparison.Ordinal);
        Assert.Contains("agent 'frozen-every' was dropped at step", ended.Told, StringComparison.Ordinal);
        Assert.Contains("no frame was taken within 1 s, while a full queue", ended.Told, StringComparison.Ordinal);
        Assert.Contains("agent 'frozen-latest' was dropped at step", ended.Told, StringComparison.Ordinal);
        Assert.Contains("it plays and has sent nothing for 1 s", ended.Told, StringComparison.Ordinal);
        Assert.Contains("forfeited by player 1: no agent plays it any more", ended.Output, StringComparison.Ordinal);
        var steps = Folder.Steps();
        steps.Complete(4);
        Assert.Equal(
            steps.Rows.Select(row => row["step"]),
            Folder.Agents().Rows.Where(row => row["agent"] == "watcher-1-shm").Select(row => row["step"]));
        using var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        Assert.Null(recording.Problem);
        Assert.Empty(recording.ReadGaps());
        Assert.Equal(steps.Rows.Count, Recorded(recording).Count());
        Assert.Equal(
            [(1u, Result.Defeat), (2u, Result.Victory)],
            recording.ReadEnd()!.Results.Select(result => (result.PlayerId, result.Result)));
    }

    [Fact]
    public async Task An_agent_that_neither_sends_nor_reads_is_dropped_and_reported()
    {
        using var match = Folder.Match(
        [
            .. _players, "--wait", "1", "--steps", "1000000", "--no-agents", "--rate", "200", "--forfeit",
            "--agent-timeout", "1",
        ]);
        var (_, web) = await AddressesAsync(match);
        using var agent = await AgentSocket.ConnectAsync($"ws://{web}/v1", "sc2bridge.proto.v1");
        await agent.SendAsync(new PlayRequest { Subscribe = new() { Agent = "mute", Policy = Policy.Latest, CanAct = true } });
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains("agent 'mute' was dropped at step", ended.Told, StringComparison.Ordinal);
        Assert.Contains("it plays and has taken no frame for 1 s", ended.Told, StringComparison.Ordinal);
        Assert.Contains("forfeited by player 1: no agent plays it any more", ended.Output, StringComparison.Ordinal);
    }

    private static async Task<(string Grpc, string Web)> AddressesAsync(BridgeProcess match)
    {
        var line = await match.LineAsync("gRPC on");
        return (line.Split("gRPC on ")[1].Split(',')[0], line.Split("ws://")[1].Split('/')[0]);
    }

    private static IEnumerable<string> Recorded(RecordingReader recording)
    {
        using var reader = recording.Observations(1);
        while (reader.Next(out var observation))
        {
            yield return Digest(ResponseObservation.Parser.ParseFrom(observation.Bytes.Span));
        }
    }

    private static string Digest(ResponseObservation observation) =>
        Convert.ToHexString(SHA256.HashData(observation.ToByteArray()));
}
