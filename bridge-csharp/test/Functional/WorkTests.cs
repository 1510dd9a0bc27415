using System.Diagnostics;
using System.Text.Json;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Broker.Tests;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.Recordings;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Matches and replays that are distributed to workers, which are killed.</summary>
public sealed class WorkTests(TestBroker broker, TestBucket bucket) : IClassFixture<TestBroker>, IClassFixture<TestBucket>, IAsyncLifetime
{
    private readonly MatchFolder _folder = new();

    private string Store => Path.Combine(_folder.Path, "results");

    public async ValueTask InitializeAsync() => await broker.DeleteJobsAsync(Ct);

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task A_failure_after_jobs_were_submitted_is_not_a_usage_error()
    {
        broker.Require();
        using var submit = BridgeProcess.Start([.. BridgeProcess.Program, "work", "submit", $"{broker.Address}", "--json", "/dev/full"]);
        (await submit.EndAsync()).Says(1, "No space left on device");
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public Task Every_job_has_one_result_though_a_worker_is_killed() => WorkAsync(replays: 39, matches: 1, workers: 2, aLife: 20);

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_match_ends_soon_after_its_worker_was_killed()
    {
        broker.Require();
        await SubmitAsync("--games", "1", "--steps", "16000");
        using var worker = Work("--agent", "sc2bridge.agents:Watcher", "--python", MatchFolder.Python);
        await worker.UntilAsync(() => worker.Games().Count == 1 && Directory.EnumerateFiles(Store, "steps.csv.partial", SearchOption.AllDirectories)
            .Any(steps => new FileInfo(steps).Length > 1000));
        Assert.Single(worker.With(" run sc2bridge.agents:Watcher"));
        worker.Signal(BridgeProcess.KillSignal);
        await worker.IsGoneAsync();
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_replay_of_one_player_has_a_result_for_both_default_perspectives()
    {
        broker.Require();
        var replay = Path.Combine(_folder.Path, "alone.SC2Replay");
        await File.WriteAllBytesAsync(replay, SimulatedReplay.Make(loops: 24, races: SC2APIProtocol.Race.Terran), Ct);
        await SubmitAsync(replay, "--step-size", "8");
        using var worker = Work();
        await worker.UntilAsync(() => Results() == 2);
        worker.Signal(BridgeProcess.Terminate);
        Assert.Equal(130, (await worker.EndAsync()).ExitCode);
        Assert.Equal(
            [(1u, true, true), (2u, false, false)],
            (await ReadAsync()).OrderBy(result => result.Job.Record.Observe).Select(result => (
                result.Job.Record.Observe, result.End is not null, File.Exists(Path.Combine(Store, result.Job.Id, "match.mcap")))));
    }

    [Fact]
    [Trait("Suite", "Slow")]
    [Trait("ThirdParty", "s3rver")]
    [Trait("Needs", "node")]
    public async Task Results_in_a_bucket_are_whole_and_counted()
    {
        broker.Require();
        bucket.Require();
        var replay = Path.Combine(_folder.Path, "alone.SC2Replay");
        await File.WriteAllBytesAsync(replay, SimulatedReplay.Make(loops: 24), Ct);
        await SubmitAsync(replay, "--observe", "1", "--step-size", "8");
        await SubmitAsync("--games", "1", "--steps", "20", "--step-size", "22");
        var (store, json) = ($"s3://{bucket.Name}/results", Path.Combine(_folder.Path, "status.json"));
        using var worker = BridgeProcess.Start(
            [
                .. BridgeProcess.Program, "work", "run", $"{broker.Address}", "--store", store, "--jobs", "2", "--game", "simulated",
            ],
            bucket.EnvironmentVariables);
        await worker.LineAsync("2 done: ");
        worker.Signal(BridgeProcess.Terminate);
        Assert.Equal(130, (await worker.EndAsync()).ExitCode);
        using var asked = BridgeProcess.Start(
            [.. BridgeProcess.Program, "work", "status", $"{broker.Address}", "--store", store, "--json", json], bucket.EnvironmentVariables);
        (await asked.EndAsync()).Well();
        using var status = JsonDocument.Parse(await File.ReadAllTextAsync(json, Ct));
        Assert.Equal(
            (0, 0, 2, 0),
            (status.RootElement.GetProperty("waiting").GetInt32(), status.RootElement.GetProperty("begun").GetInt32(),
                status.RootElement.GetProperty("done").GetInt32(), status.RootElement.GetProperty("dead").GetArrayLength()));

        var objects = await bucket.ObjectsAsync("results/");
        var results = objects.Where(found => found.Key.EndsWith("/result.json", StringComparison.Ordinal))
            .Select(found => Jobs.ParseResult(System.Text.Encoding.UTF8.GetString(found.Value), found.Key)).ToList();
        Assert.Equal(2, results.Count);
        Assert.All(results, result =>
        {
            var file = Path.Combine(_folder.Path, $"{result.Job.Id}.mcap");
            File.WriteAllBytes(file, objects[$"results/{result.Job.Id}/{result.Folder}/match.mcap"]);
            using var recording = RecordingReader.Open(file);
            Assert.Null(recording.Problem);
            Assert.Equal(result.End, recording.ReadEnd());
        });
        Assert.All(objects.Keys, key => Assert.True(
            results.Any(result => key == $"results/{result.Job.Id}/result.json"
                || key.StartsWith($"results/{result.Job.Id}/{result.Folder}/", StringComparison.Ordinal)), key));
    }

    [Theory]
    [InlineData("AWS_ACCESS_KEY_ID", "nobody", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of a user with permission")]
    [InlineData("AWS_SECRET_ACCESS_KEY", "", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION")]
    [InlineData("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9", "check that it runs")]
    [InlineData("AWS_ENDPOINT_URL_S3", "nonsense", "is not a valid URL")]
    [Trait("ThirdParty", "s3rver")]
    [Trait("Needs", "node")]
    public async Task A_bucket_that_cannot_be_used_is_reported_before_a_job_is_taken(string variable, string value, string words)
    {
        bucket.Require();
        using var run = BridgeProcess.Start(
            [.. BridgeProcess.Program, "work", "run", $"{broker.Address}", "--store", $"s3://{bucket.Name}"],
            [.. bucket.EnvironmentVariables, ("AWS_EC2_METADATA_DISABLED", "true"), (variable, value)]);
        (await run.EndAsync()).Says(2, $"sc2bridge: --store: s3://{bucket.Name}", words);
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_published_match_whose_agent_does_not_start_has_an_end()
    {
        broker.Require();
        var ended = await _folder.PlayAsync("--agent", "thrower:Nobody", "--publish", $"{broker.Address}", "--tag", "thrown");
        Assert.Equal(1, ended.ExitCode);
        await using var relay = await RelaySource.OpenAsync(new RelayOptions(broker.Address) { Match = "thrown" }, Ct);
        Assert.Null(await relay.Sides[0].NextAsync(Ct));
        Assert.Equal("an agent did not start", relay.Sides[0].End?.Detail);
    }

    [Theory]
    [InlineData("python3", "python3")]
    [InlineData("folder/python", "HERE/folder/python")]
    [InlineData("../python", "ABOVE/python")]
    [InlineData("/usr/bin/python", "/usr/bin/python")]
    public void A_Python_is_found_from_any_folder(string named, string found) => Assert.Equal(
        found.Replace("HERE", Directory.GetCurrentDirectory(), StringComparison.Ordinal)
            .Replace("ABOVE", Path.GetDirectoryName(Directory.GetCurrentDirectory()), StringComparison.Ordinal),
        PythonInterpreter.Find(named));

    [Fact]
    [Trait("Suite", "Long")]
    public Task A_thousand_jobs_have_a_thousand_results_though_workers_are_killed_every_few_seconds() =>
        WorkAsync(replays: 980, matches: 20, workers: 4, aLife: 10);

    // aLife: results of all workers from one that is killed to the next.
    private async Task WorkAsync(int replays, int matches, int workers, int aLife)
    {
        broker.Require();
        var folder = Directory.CreateDirectory(Path.Combine(_folder.Path, "replays")).FullName;
        var replay = SimulatedReplay.Make(loops: 24);
        for (var number = 0; number < replays; number++)
        {
            await File.WriteAllBytesAsync(Path.Combine(folder, $"r{number}.SC2Replay"), replay, Ct);
        }

        await File.WriteAllTextAsync(Path.Combine(folder, "poisoned.SC2Replay"), "no replay", Ct);
        await SubmitAsync("--games", $"{matches}", "--steps", "20", "--step-size", "22");
        await SubmitAsync(folder, "--observe", "1", "--step-size", "8");

        var running = Enumerable.Range(0, workers).Select(_ => Work()).ToList();
        var killed = 0;
        try
        {
            // The broker hands a job of a killed worker to the next one first. A worker must live longer than a job takes, or that
            // job is never done: it lives for four of these pauses.
            var since = Stopwatch.StartNew();
            await running[0].UntilAsync(() => Results() >= aLife);
            var pause = since.Elapsed / 2;
            for (var due = aLife; due < replays + matches; due = Results() + aLife)
            {
                var next = running[killed % workers];
                await next.UntilAsync(() => Results() >= due && since.Elapsed > pause);
                since.Restart();
                next.Signal(BridgeProcess.KillSignal);
                await next.IsGoneAsync();
                next.Dispose();
                running[killed++ % workers] = Work();
            }

            await running[0].UntilAsync(() => Results() == replays + matches);
            Assert.True(killed > 0);
            var json = Path.Combine(_folder.Path, "status.json");
            JsonElement status;
            do
            {
                using var asked = BridgeProcess.Start([.. BridgeProcess.Program, "work", "status", $"{broker.Address}", "--store", Store, "--json", json]);
                (await asked.EndAsync()).Well();
                status = JsonDocument.Parse(await File.ReadAllTextAsync(json, Ct)).RootElement;
            }
            while (status.GetProperty("dead").GetArrayLength() == 0);

            Assert.Equal((0, replays + matches), (status.GetProperty("waiting").GetInt32(), status.GetProperty("done").GetInt32()));
            var dead = Assert.Single(status.GetProperty("dead").EnumerateArray());
            Assert.Equal(3, dead.GetProperty("failures").GetInt32());
            Assert.Contains("poisoned.SC2Replay is not a replay", dead.GetProperty("reason").GetString(), StringComparison.Ordinal);
        }
        finally
        {
            foreach (var worker in running)
            {
                worker.Signal(BridgeProcess.Terminate);
                Assert.Equal(130, (await worker.EndAsync()).ExitCode);
                worker.Dispose();
            }
        }

        TestContext.Current.SendDiagnosticMessage($"{replays + matches} results, {killed} workers killed");
        var made = await ReadAsync();
        Assert.Equal(replays + matches, made.Select(result => result.Job.Id).Distinct().Count());
        Assert.All(made, result =>
        {
            using var recording = RecordingReader.Open(Path.Combine(Store, result.Job.Id, "match.mcap"));
            Assert.Null(recording.Problem);
            Assert.Equal(result.End, recording.ReadEnd());
        });
        Assert.Empty(Directory.EnumerateFileSystemEntries(Path.Combine(Store, ".partial")));
        Assert.Equal(made.Count + 1, Directory.EnumerateFileSystemEntries(Store).Count());
    }

    private async Task<IReadOnlyList<V1Alpha1.JobResult>> ReadAsync()
    {
        using var store = ResultStore.Create(Store, "test");
        return (await store.ReadAllAsync(Ct)).Results;
    }

    private int Results() => Directory.Exists(Store)
        ? Directory.EnumerateDirectories(Store).Count(folder => !Path.GetFileName(folder).Contains('.', StringComparison.Ordinal))
        : 0;

    private BridgeProcess Work(params string[] more) => BridgeProcess.Start(
        [.. BridgeProcess.Program, "work", "run", $"{broker.Address}", "--store", Store, "--jobs", "2", "--game", "simulated", .. more]);

    private async Task SubmitAsync(params string[] more)
    {
        using var submit = BridgeProcess.Start([.. BridgeProcess.Program, "work", "submit", $"{broker.Address}", .. more]);
        (await submit.EndAsync()).Well();
    }
}
