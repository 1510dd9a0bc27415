using System.CommandLine;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge relay</c>: a match that another bridge publishes to a broker, streamed to agents here.</summary>
internal static class RelayCommand
{
    internal static Command Create()
    {
        var broker = new Argument<BrokerAddress?>("URL")
        {
            Description = "the RabbitMQ broker, as --publish has it",
            CustomParser = result => PublishOptionSet.Parse(result, "URL"),
        };
        var match = Text(
            "--match", null, "ID", "the match: its key, or a part of its line in the list (default: the one that runs)");
        var from = GameLoop(
            "--from", "the game loop to begin at (default: the newest; of a match that has ended the first)");
        var rate = Text("--rate", "max", "max|22.4|HZ", "steps a second at most");
        var session = new SessionOptionSet("relay");
        var command = new Command("relay", "Streams a match that another bridge publishes to agents, as that bridge does.")
        {
            broker, match, from, rate,
        };
        OptionSet.AddTo(command, session);

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
        {
            var shared = session.Read(parsed);
            var pace = StepRate.Parse(parsed.GetValue(rate)!);
            if (pace.Realtime)
            {
                throw new CommandException("--rate realtime: a relay has no clock of its own: give max, or steps a second");
            }

            Action<string> told = static _ => { };
            try
            {
                await using var source = await RelaySource.OpenAsync(
                    new RelayOptions(parsed.GetValue(broker)!)
                    {
                        Match = parsed.GetValue(match),
                        From = parsed.GetValue(from),
                        ClockId = ClockId.Read(),
                        Told = line => told(line),
                    },
                    cancellation);
                return await new StreamingSession(shared).RunAsync([say => Streamed(source, pace, told = say)], cancellation);
            }
            catch (BrokerException several) when (several.Matches.Count > 0)
            {
                foreach (var line in several.Matches)
                {
                    await Console.Error.WriteLineAsync(line);
                }

                throw;
            }
        }));
        return command;
    }

    private static StreamedMatch Streamed(RelaySource source, StepRate rate, Action<string> say)
    {
        say($"Relayed: match {source.Description.Relay}");
        return new StreamedMatch { Source = source, Rate = rate, Advice = "What was relayed until there is logged in" };
    }
}
