using System.Text;
using Sc2Bridge.Files;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Results in a folder, as a rule one that machines share, each in a folder of its id. It is made as <c>.partial/ID/WORKER</c>
/// in it, and gets its name in one step.
/// </summary>
/// <param name="root">Where.</param>
/// <param name="worker">Who makes results.</param>
internal sealed class FolderStore(string root, string worker) : ResultStore(worker)
{
    // By default "a.*" finds "a" as well.
    private static readonly EnumerationOptions _exactly = new() { MatchType = MatchType.Simple, AttributesToSkip = 0 };

    private readonly string _partial = Path.Combine(root, ".partial");

    /// <inheritdoc/>
    public override Task OpenAsync(CancellationToken ct)
    {
        Directory.CreateDirectory(root);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public override Task<bool> HasAsync(string id, CancellationToken ct) => Task.FromResult(Has(id));

    /// <inheritdoc/>
    public override Task<string> BeginAsync(string id, CancellationToken ct) => Task.FromResult(MakeFolder(_partial, id));

    /// <inheritdoc/>
    public override Task PublishAsync(string folder, JobResult result, CancellationToken ct)
    {
        File.WriteAllText(Path.Combine(folder, ResultFile), Jobs.Text(result) + "\n", new UTF8Encoding(false));
        try
        {
            // Onto a folder that holds something no system moves another.
            PartialFile.PublishFolder(folder, Path.Combine(root, result.Job.Id));
        }
        catch (IOException) when (Has(result.Job.Id))
        {
            // Somebody else was quicker: theirs it is.
        }

        return ClearAsync(result.Job.Id, ct);
    }

    /// <inheritdoc/>
    public override Task ClearAsync(string id, CancellationToken ct)
    {
        // Moved first: one of them may be given its name at this moment.
        Try(() => Directory.Move(Path.Combine(_partial, id), Path.Combine(_partial, $"{id}.{Guid.NewGuid():N}")));

        // Also what one had moved who was killed then.
        Try(() =>
        {
            foreach (var gone in Directory.EnumerateDirectories(_partial, $"{id}.*", _exactly))
            {
                Try(() => Directory.Delete(gone, recursive: true));
            }
        });
        return Task.CompletedTask;

        static void Try(Action clear)
        {
            try
            {
                clear();
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException)
            {
                // Somebody else took it away, or writes into it still.
            }
        }
    }

    /// <inheritdoc/>
    public override Task EndAsync(string folder)
    {
        DeleteFolder(folder);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public override Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAsync(CancellationToken ct)
    {
        JobResult[] results =
        [
            .. Directory.EnumerateDirectories(root)
                .Where(folder => !Path.GetFileName(folder).Contains('.', StringComparison.Ordinal))
                .Select(folder => Path.Combine(folder, ResultFile))
                .Where(File.Exists)
                .Select(file => Jobs.ReadResult(File.ReadAllText(file), file)),
        ];
        var begun = !Directory.Exists(_partial) ? 0 : Directory.EnumerateDirectories(_partial)
            .Count(job => !Has(Path.GetFileName(job)) && !job.AsSpan(_partial.Length).Contains('.'));
        return Task.FromResult<(IReadOnlyList<JobResult>, int)>((results, begun));
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
    }

    private bool Has(string id) => File.Exists(Path.Combine(root, id, ResultFile));
}
