using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The command <c>sc2bridge ladder</c>. A ladder manager starts each bot with some of these options, and defines their spelling.</summary>
internal static class LadderCommand
{
    internal static DocumentedCommand Create()
    {
        var gamePort = Port("--GamePort", "the game's port");

        // The other ports of the match follow this port (see LadderSlot).
        var startPort = Port("--StartPort", "the first of the match's ports; a match against a computer has none", 65_530);
        var server = Text("--LadderServer", "127.0.0.1", "HOST", "the game's host");
        server.Validators.Add(ValidateEach(
            host => Uri.CheckHostName(host) != UriHostNameType.Unknown, "write a host's name or an IP address, and its port as --GamePort"));
        var opponent = Text("--OpponentId", null, "ID", "the opponent's id");
        var realtime = Flag("--RealTime", "the game's own clock runs the match");
        var race = OneOf("--race", ["terran", "zerg", "protoss", "random"], "the race that the agents play");
        var name = Text("--name", null, "NAME", "the name that the agents play under");
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var deadline = GameOptionSet.CreateAnswerDeadline();
        var open = Flag(
            "--open-perspectives",
            "any program of this machine may watch this side (default: the started agents, and programs with the token that "
            + "`--wait` prints)");
        var interfaceOptions = new InterfaceOptionSet();
        var recording = new RecordingOptionSet();
        var postMortem = new PostMortemOptionSet();
        var session = new SessionOptionSet("ladder", "127.0.0.1:0", "127.0.0.1:0");

        var command = new DocumentedCommand(
            "ladder", "Plays agents as a bot that a ladder manager starts: joins the match that the manager has created.")
        {
            Examples = [("as a manager starts it", "ladder --race zerg --agent my_bot:MyBot --GamePort 5677 --StartPort 5690")],
            CommonOptions = [race, name, gamePort, startPort, server, opponent, realtime, stepSize, .. session.CommonOptions],
        };
        command.Add(new("players", race, name, stepSize), new OptionGroup("the ladder manager", gamePort, startPort, server, opponent, realtime));
        command.Add([.. session.Groups, new("sides", open), .. recording.Groups, .. postMortem.Groups, .. interfaceOptions.Groups, new("the game", deadline)]);

        // A ladder may pass options that this command does not use.
        command.TreatUnmatchedTokensAsErrors = false;
        command.SetAction((parsed, cancellation) =>
        {
            Printing.PrintIgnored(parsed.UnmatchedTokens, command);
            var rate = parsed.GetValue(realtime) ? StepRate.GameClock : StepRate.Max;
            var address = new GameAddress(
                parsed.GetValue(server)!.Trim('[', ']'), parsed.GetValue(gamePort) ?? throw Missing("--GamePort PORT, as the ladder manager does"));
            var player = PlayerSpec.Parse(
                $"agent:{parsed.GetValue(race) ?? throw Missing("--race RACE, because a ladder manager does not pass it")}");
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
                DisableFog = interfaceOptions.ReadDisableFog(parsed),
                Interface = interfaceOptions.Read(parsed),
            };
            settings.Validate();
            var client = new GameOptions { AnswerDeadline = parsed.GetValue(deadline) }.ClientOptions;
            var sessionOptions = session.Read(parsed, defaultPolicy: rate.Realtime ? "latest" : "lockstep");
            if (!parsed.GetValue(open))
            {
                // The opponent may run on the same machine, so clients on this machine need a token too.
                sessionOptions = sessionOptions with { Access = sessionOptions.Access with { SidesApart = [null] } };
            }

            return new StreamingSession(
                sessionOptions with
                {
                    RecordingFile = recording.Read(parsed, sessionOptions.OutputFolder),
                    PostMortem = postMortem.Read(parsed),
                }).RunAsync(
                [
                    print =>
                    {
                        print($"Game: started by the ladder manager, at {address}");
                        return new StreamedMatch
                        {
                            Source = new LadderSource(slot, settings, client),
                            Rate = rate,
                            Advice = "The logs up to that point are in",
                        };
                    },
                ],
                cancellation);
        });
        return command;
    }

    private static CommandException Missing(string what) => new($"{what.Split(' ')[0]} is missing: ladder joins a match: add {what}");
}
