using System.CommandLine;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge work</c>: distributes matches and replays over machines, through a message broker.</summary>
internal static class WorkCommand
{
    // Must be less than the consumer_timeout of RabbitMQ (30 minutes), after which an unacknowledged job returns to the queue.
    private static readonly TimeSpan DefaultJobTime = TimeSpan.FromMinutes(25);

    internal static DocumentedCommand Create()
    {
        var command = new DocumentedCommand("work", "Distributes matches and replays over machines, through a message broker.")
        {
            Remarks = "[The guide](../guide/work.md) has an example from the first job to the results.",
        };
        command.Add(CreateSubmit());
        command.Add(CreateRun());
        command.Add(CreateStatus());
        return command;
    }

    private static DocumentedCommand CreateSubmit()
    {
        var broker = CreateBrokerArgument();
        var replays = new Argument<string[]>("REPLAYS")
        {
            Description = "replays (.SC2Replay) to record, and folders of them; without them, matches are played",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var observe = new Option<uint[]>("--observe")
        {
            HelpName = "N",
            Description = "the perspective of a replay: a player id, or 0 for an observer of all; repeat the option for each perspective (default: "
                + "players 1 and 2)",
        };
        var maps = MatchCommand.CreateMapOption();
        var players = new Option<string[]>("--player")
        {
            HelpName = "SPEC",
            Description = "a player, in the form of `match --player`; repeat the option for each player (default: two VeryHard computers, Terran and Zerg)",
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
        command.SetAction(async (parsed, cancellation) =>
        {
            var named = parsed.GetValue(replays)!;
            if (named.Length > 0 && OptionSet.FirstGiven(parsed, [maps, players, games, seed, steps]) is { } matchOption)
            {
                throw new CommandException($"{matchOption.Name} is for matches, but replays are recorded: leave out {matchOption.Name} or REPLAYS");
            }

            var jobs = named.Length > 0
                ? WorkPlan.CreateReplayJobs(named, parsed.GetValue(observe) ?? [], (uint)parsed.GetValue(stepSize))
                : WorkPlan.CreateMatchJobs(
                    parsed.GetValue(maps) ?? [], parsed.GetValue(players) ?? [], (int)parsed.GetValue(games),
                    (uint)parsed.GetValue(seed), (uint)parsed.GetValue(steps), (uint)parsed.GetValue(stepSize));
            ResultFile.CheckDistinct([parsed.GetValue(json)], [.. jobs.Select(job => (job.Record?.Replay, "a replay to record"))]);
            using var file = ResultFile.Open(parsed.GetValue(json));
            await WorkSubmitter.SubmitAsync(BrokerAddress.Parse(parsed.GetValue(broker)!), jobs, cancellation, Failures.MarkCommandBegun);
            file?.Write(JsonReports.Text(new SubmittedJobs([.. jobs.Select(job => job.Id)]), JsonReports.Default.SubmittedJobs));
            if (file?.IsStandardOutput != true)
            {
                Console.WriteLine($"{jobs.Count} {(jobs.Count == 1 ? "job" : "jobs")} submitted");
            }

            return 0;
        });
        return command;
    }

    private static DocumentedCommand CreateRun()
    {
        var broker = CreateBrokerArgument();
        var store = CreateStoreOption("where results go (the same for all workers): a folder, or [`s3://BUCKET/PREFIX`](../guide/work.md#in-a-bucket)");
        store.Required = true;
        var jobs = Number("--jobs", Environment.ProcessorCount, "N", "how many jobs run at once", 1, 256, "the number of cores");
        var jobTime = Seconds(
            "--job-time", DefaultJobTime,
            $"how long a job may take before it counts as failed (default: {DefaultJobTime.TotalSeconds:0})");
        var agents = new Option<string[]>("--agent")
        {
            HelpName = "SPEC",
            Description = "an agent to start for each match, in the form of `match --agent`; repeat the option for each agent (default: none)",
        };
        var python = Text("--python", null, "PATH", "the Python interpreter for agents");
        var json = Json("the summary");
        var game = new GameOptionSet();
        var command = new DocumentedCommand("run", "Runs jobs until it is stopped.")
        {
            Examples = [("a worker", "work run amqp://broker.example --store results")],
        };
        command.Add(broker);
        command.Add([new("jobs", store, jobs, jobTime, agents, python, json), .. game.Groups]);

        command.SetAction((parsed, cancellation) =>
        {
            var options = game.Read(parsed);
            if (options.Attach is not null || options.Port != 0)
            {
                throw new CommandException("--attach and --game-port name one game, but each job has its own game: leave them out");
            }

            var interpreter = PythonInterpreter.FindNamed(parsed.GetValue(python));
            // These are options of sc2bridge match. Jobs cannot choose a program to run.
            string[] matchArguments =
            [
                .. (string[])(interpreter is null ? [] : [$"--python={interpreter}"]),
                .. game.AllOptions.Append(agents)
                    .Where(option => OptionSet.IsGiven(parsed, option))
                    .SelectMany(option => parsed.GetResult(option)!.Tokens.Select(token => $"{option.Name}={token.Value}")),
                .. (string[])(parsed.GetValue(agents) is { Length: > 0 } ? [] : ["--no-agents"]),
            ];
            return new WorkSession(
                BrokerAddress.Parse(parsed.GetValue(broker)!), parsed.GetValue(store)!, (int)parsed.GetValue(jobs),
                parsed.GetValue(jobTime)!.Value, options, matchArguments).RunAsync(parsed.GetValue(json), cancellation);
        });
        return command;
    }

    private static DocumentedCommand CreateStatus()
    {
        var broker = CreateBrokerArgument();
        var store = CreateStoreOption("the store with the results, if they should be counted too: a folder, or `s3://BUCKET/PREFIX`");
        var json = Json("the summary");
        var command = new DocumentedCommand("status", "Shows which jobs wait, are done, or were given up, and why.");
        command.Add(broker);
        command.Add(new OptionGroup("options", store, json));
        command.SetAction(async (parsed, cancellation) =>
        {
            using var file = ResultFile.Open(parsed.GetValue(json));
            var status = await WorkStatus.QueryAsync(BrokerAddress.Parse(parsed.GetValue(broker)!), cancellation);
            var report = await WorkReport.CreateAsync(status, parsed.GetValue(store), cancellation);
            if (file?.IsStandardOutput != true)
            {
                report.Print(Consoles.CreateForOutput());
            }

            file?.Write(JsonReports.Text(report, JsonReports.Default.WorkReport));
            return 0;
        });
        return command;
    }

    private static Argument<string> CreateBrokerArgument() => new("BROKER")
    {
        Description = "the RabbitMQ broker: `amqp://[USER:PASSWORD@]HOST[:PORT][/VHOST]`, or `amqps://`",
    };

    private static Option<string?> CreateStoreOption(string description) => Text("--store", null, "WHERE", description);
}

/// <summary>The JSON report of <c>sc2bridge work submit</c>.</summary>
/// <param name="Jobs">The jobs' names.</param>
internal sealed record SubmittedJobs(IReadOnlyList<string> Jobs);
