using System.CommandLine;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge work</c>: matches and replays, shared out among machines by a message broker.</summary>
internal static class WorkCommand
{
    // Below the half hour after which RabbitMQ takes a job from who has not answered for it (consumer_timeout).
    private static readonly TimeSpan UsualJobTime = TimeSpan.FromMinutes(25);

    internal static DocumentedCommand Create()
    {
        var command = new DocumentedCommand("work", "Distributes matches and replays over machines, through a message broker.")
        {
            Remarks = "[The guide](../guide/work.md) has an example from the first job to the results.",
        };
        command.Add(Submit());
        command.Add(Run());
        command.Add(Status());
        return command;
    }

    private static DocumentedCommand Submit()
    {
        var broker = Broker();
        var replays = new Argument<string[]>("REPLAYS")
        {
            Description = "replays (.SC2Replay) to record, and folders of them; without them, matches are played",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var observe = new Option<uint[]>("--observe")
        {
            HelpName = "N",
            Description = "whose observations of a replay: a player id, or 0 for an observer of all; once for each (default: "
                + "players 1 and 2)",
        };
        var maps = MatchCommand.Maps();
        var players = new Option<string[]>("--player")
        {
            HelpName = "SPEC",
            Description = "a player, as `match` has them, once for each (default: two VeryHard computers, Terran and Zerg)",
        };
        var games = Number("--games", 1, "N", "the number of matches, each with the next seed", 1, 1_000_000);
        var seed = Number("--seed", SimulatorDefaults.Seed, "N", "the first match's random seed", 0, uint.MaxValue);
        var steps = Number("--steps", MatchSettings.UsualStepLimit, "N", "the most steps of a match", 1, int.MaxValue);
        var stepSize = Number("--step-size", 1, "LOOPS", "game loops in a step", 1, 100_000);
        var command = new DocumentedCommand("submit", "Submits jobs: matches to play, or replays to record.")
        {
            Examples =
            [
                ("100 matches of two computers", "work submit amqp://broker.example --games 100"),
                ("recordings of a folder of replays", "work submit amqp://broker.example replays"),
            ],
        };
        command.Add(broker);
        command.Add(replays);
        var json = Json("the jobs' names");
        command.Add(new("matches", maps, players, games, seed, steps), new OptionGroup("matches and replays", observe, stepSize, json));
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
        {
            var named = parsed.GetValue(replays)!;
            if (named.Length > 0 && OptionSet.FirstGiven(parsed, [maps, players, games, seed, steps]) is { } ofMatches)
            {
                throw new CommandException($"{ofMatches.Name} is for matches, and REPLAYS are to be recorded: leave one out");
            }

            var jobs = named.Length > 0
                ? WorkPlan.Replays(named, parsed.GetValue(observe) ?? [], (uint)parsed.GetValue(stepSize))
                : WorkPlan.Matches(
                    parsed.GetValue(maps) ?? [], parsed.GetValue(players) ?? [], (int)parsed.GetValue(games),
                    (uint)parsed.GetValue(seed), (uint)parsed.GetValue(steps), (uint)parsed.GetValue(stepSize));
            ResultFile.CheckApart([parsed.GetValue(json)], [.. jobs.Select(job => (job.Record?.Replay, "a replay to record"))]);
            using var file = ResultFile.Open(parsed.GetValue(json));
            await WorkSubmitter.SubmitAsync(BrokerAddress.Parse(parsed.GetValue(broker)!), jobs, cancellation, Failures.Begin);
            file?.Write(JsonReports.Text(new SubmittedJobs([.. jobs.Select(job => job.Id)]), JsonReports.Default.SubmittedJobs));
            if (file?.IsOutput != true)
            {
                Console.WriteLine($"{jobs.Count} {(jobs.Count == 1 ? "job" : "jobs")} handed in");
            }

            return 0;
        }));
        return command;
    }

    private static DocumentedCommand Run()
    {
        var broker = Broker();
        var store = Store("where results go, the same place for all workers: a folder, or [`s3://BUCKET/PREFIX`](../guide/work.md#in-a-bucket)");
        store.Required = true;
        var jobs = Number("--jobs", Environment.ProcessorCount, "N", "jobs at the same time", 1, 256);
        var jobTime = Seconds(
            "--job-time", UsualJobTime,
            $"how long a job may take before it has failed (default: {UsualJobTime.TotalSeconds:0})");
        var agents = new Option<string[]>("--agent")
        {
            HelpName = "SPEC",
            Description = "an agent to start for each match, as `match` has them, once for each (default: none)",
        };
        var python = Text("--python", null, "PATH", "the Python interpreter for agents");
        var json = Json("the summary");
        var game = new GameOptionSet();
        var command = new DocumentedCommand("run", "Does jobs, until it is stopped.")
        {
            Examples = [("a worker", "work run amqp://broker.example --store results")],
        };
        command.Add(broker);
        command.Add([new("jobs", store, jobs, jobTime, agents, python, json), .. game.Groups]);

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            var options = game.Read(parsed);
            if (options.Attach is not null || options.Port != 0)
            {
                throw new CommandException("--attach and --game-port name one game, and jobs have each their own: leave them out");
            }

            var interpreter = PythonInterpreter.Named(parsed.GetValue(python));
            // As a match is started with by hand; the jobs themselves choose no program to run.
            string[] ofMatches =
            [
                .. (string[])(interpreter is null ? [] : [$"--python={interpreter}"]),
                .. game.All.Append(agents)
                    .Where(option => OptionSet.IsGiven(parsed, option))
                    .SelectMany(option => parsed.GetResult(option)!.Tokens.Select(token => $"{option.Name}={token.Value}")),
                .. (string[])(parsed.GetValue(agents) is { Length: > 0 } ? [] : ["--no-agents"]),
            ];
            return new WorkSession(
                BrokerAddress.Parse(parsed.GetValue(broker)!), parsed.GetValue(store)!, (int)parsed.GetValue(jobs),
                parsed.GetValue(jobTime)!.Value, options, ofMatches).RunAsync(parsed.GetValue(json), cancellation);
        }));
        return command;
    }

    private static DocumentedCommand Status()
    {
        var broker = Broker();
        var store = Store("where results are, to count them too: a folder, or `s3://BUCKET/PREFIX`");
        var json = Json("the summary");
        var command = new DocumentedCommand("status", "Shows which jobs wait, are done, or were given up, and why.");
        command.Add(broker);
        command.Add(new OptionGroup("options", store, json));
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
        {
            using var file = ResultFile.Open(parsed.GetValue(json));
            var status = await WorkStatus.AskAsync(BrokerAddress.Parse(parsed.GetValue(broker)!), cancellation);
            var report = await WorkReport.OfAsync(status, parsed.GetValue(store), cancellation);
            if (file?.IsOutput != true)
            {
                report.Print(Consoles.Make());
            }

            file?.Write(JsonReports.Text(report, JsonReports.Default.WorkReport));
            return 0;
        }));
        return command;
    }

    private static Argument<string> Broker() => new("BROKER")
    {
        Description = "the RabbitMQ broker: `amqp://[USER:PASSWORD@]HOST[:PORT][/VHOST]`, or `amqps://`",
    };

    private static Option<string?> Store(string description) => Text("--store", null, "WHERE", description);
}

/// <summary>What <c>sc2bridge work submit</c> leaves for machines.</summary>
/// <param name="Jobs">The jobs' names.</param>
internal sealed record SubmittedJobs(IReadOnlyList<string> Jobs);
