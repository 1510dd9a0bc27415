using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of <c>sc2bridge ladder</c>: those that a ladder manager starts a bot with, in its spelling.</summary>
internal static class LadderCommand
{
    internal static DocumentedCommand Create()
    {
        var gamePort = Port("--GamePort", "the game's port");
        var startPort = Port("--StartPort", "the first of the match's ports; none against a computer");
        var server = Text("--LadderServer", "127.0.0.1", "HOST", "the game's host");
        var opponent = Text("--OpponentId", null, "ID", "the opponent's id");
        var realtime = Flag("--RealTime", "the game's own clock runs the match");
        var race = OneOf("--race", ["terran", "zerg", "protoss", "random"], "the race that the agents play");
        var name = Text("--name", null, "NAME", "the name that the agents play under");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var deadline = GameOptionSet.AnswerDeadline();
        var open = Flag(
            "--open-perspectives",
            "any program of this machine may watch this side (default: the started agents, and programs with the token that "
            + "`--wait` prints)");
        var observed = new InterfaceOptionSet();
        var recording = new RecordingOptionSet();
        var session = new SessionOptionSet("ladder", "127.0.0.1:0", "127.0.0.1:0");

        var command = new DocumentedCommand(
            "ladder", "Plays agents as a bot that a ladder manager starts: joins the match that the manager has created.")
        {
            Examples = [("as a manager starts it", "ladder --race zerg --agent my_bot:MyBot --GamePort 5677 --StartPort 5690")],
            Common = [race, name, gamePort, startPort, server, opponent, realtime, stepSize, .. session.Common],
        };
        command.Add(new("players", race, name, stepSize), new OptionGroup("the ladder manager", gamePort, startPort, server, opponent, realtime));
        command.Add([.. session.Groups, new("sides", open), .. recording.Groups, .. observed.Groups, new("the game", deadline)]);

        // A ladder may tell its bots more than this one asks for.
        command.TreatUnmatchedTokensAsErrors = false;
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            Printing.PrintIgnored(parsed.UnmatchedTokens);
            var rate = parsed.GetValue(realtime) ? StepRate.GameClock : StepRate.Max;
            var address = new GameAddress(
                parsed.GetValue(server)!, parsed.GetValue(gamePort) ?? throw Missing("--GamePort PORT, as the ladder does"));
            var player = PlayerSpec.Parse(
                $"agent:{parsed.GetValue(race) ?? throw Missing("--race RACE, which no ladder tells a bot")}");
            var slot = new LadderSlot(address, player.Race)
            {
                StartPort = parsed.GetValue(startPort),
                OpponentId = parsed.GetValue(opponent) ?? "",
                Name = parsed.GetValue(name) ?? "",
            };
            var settings = new MatchSettings
            {
                Players = [player],
                StepSize = (uint)parsed.GetValue(stepSize),
                Rate = rate,
                StepLimit = 0,
                DisableFog = observed.DisableFog(parsed),
                Interface = observed.Read(parsed),
            };
            settings.Validate();
            var client = new GameOptions { AnswerDeadline = parsed.GetValue(deadline) }.Client;
            var shared = session.Read(parsed, usualPolicy: rate.Realtime ? "latest" : "lockstep");
            if (!parsed.GetValue(open))
            {
                // The opponent may run on the same machine, and the manager may keep what is printed.
                shared = shared with { Access = shared.Access with { SidesApart = [null] } };
            }

            return new StreamingSession(
                shared with { RecordingFile = recording.Read(parsed, shared.OutputFolder) }).RunAsync(
                [
                    say =>
                    {
                        say($"Game: the one of the ladder at {address}");
                        return new StreamedMatch
                        {
                            Source = new LadderSource(slot, settings, client),
                            Rate = rate,
                            Advice = "What was logged until then is in",
                        };
                    },
                ],
                cancellation);
        }));
        return command;
    }

    private static CommandException Missing(string what) => new($"ladder joins a match: give {what}");
}
