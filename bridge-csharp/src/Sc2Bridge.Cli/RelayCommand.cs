using System.CommandLine;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge relay</c>: receives a match that another bridge publishes to a broker, and streams it to agents.</summary>
internal static class RelayCommand
{
    internal static DocumentedCommand Create()
    {
        var broker = new Argument<BrokerAddress?>("URL")
        {
            Description = "the broker that the match is published to, in the form of `match --publish`",
            CustomParser = result => PublishOptionSet.Parse(result, "URL"),
        };
        var match = Text(
            "--match", null, "ID", "the match: its key, or a part of its line in the list of matches, such as its map or a tag (default: the running match; if there are several, they are listed)");
        var from = GameLoop(
            "--from", "the first game loop (default: the newest one; if the match has ended, its first)");
        var rate = Text("--rate", "max", "max|22.4|HZ", "the maximum number of steps a second");
        var session = new SessionOptionSet("relay");
        var command = new DocumentedCommand("relay", "Receives a match that another bridge publishes to a broker, and streams it to agents.")
        {
            Examples = [("watch the match that runs", "relay amqp://broker.example --open")],
            CommonOptions = [match, from, rate, .. session.CommonOptions],
        };
        command.Add(broker);
        command.Add([new("pace", match, from, rate), .. session.Groups]);

        command.SetAction(async (parsed, cancellation) =>
        {
            var sessionOptions = session.Read(parsed);
            var pace = StepRate.Parse(parsed.GetValue(rate)!);
            if (pace.Realtime)
            {
                throw new CommandException("--rate realtime: a relay has no clock of its own: write max, or steps a second");
            }

            Action<string> warn = static _ => { };
            try
            {
                await using var source = await RelaySource.OpenAsync(
                    new RelayOptions(parsed.GetValue(broker)!)
                    {
                        Match = parsed.GetValue(match),
                        From = parsed.GetValue(from),
                        ClockId = ClockId.Read(),
                        Warn = line => warn(line),
                    },
                    cancellation);
                return await new StreamingSession(sessionOptions).RunAsync([print => CreateMatch(source, pace, warn = print)], cancellation);
            }
            catch (BrokerException several) when (several.Matches.Count > 0)
            {
                foreach (var line in several.Matches)
                {
                    await Console.Error.WriteLineAsync(line);
                }

                throw;
            }
        });
        return command;
    }

    private static StreamedMatch CreateMatch(RelaySource source, StepRate rate, Action<string> print)
    {
        print($"Relayed: match {source.Description.Relay}");
        return new StreamedMatch { Source = source, Rate = rate, Advice = "The logs up to that point are in" };
    }
}
