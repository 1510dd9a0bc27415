using System.Text;
using Sc2Bridge.Files;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Stores results in a folder, which is usually shared. Each result is a folder with the id of its job. The result is built as
/// <c>.partial/ID/WORKER</c> and renamed in one step.
/// </summary>
/// <param name="root">The folder.</param>
/// <param name="worker">The worker's name.</param>
internal sealed class FolderStore(string root, string worker) : ResultStore(worker)
{
    // With the default options, "a.*" also matches "a".
    private static readonly EnumerationOptions _exactly = new() { MatchType = MatchType.Simple, AttributesToSkip = 0 };

    private readonly string _partial = Path.Combine(root, ".partial");

    /// <inheritdoc/>
    public override Task CheckAsync(CancellationToken ct)
    {
        Directory.CreateDirectory(root);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public override Task<bool> HasResultAsync(string id, CancellationToken ct) => Task.FromResult(HasResult(id));

    /// <inheritdoc/>
    public override Task<string> BeginResultAsync(string id, CancellationToken ct) => Task.FromResult(MakeFolder(_partial, id));

    /// <inheritdoc/>
    public override Task PublishAsync(string folder, JobResult result, CancellationToken ct)
    {
        File.WriteAllText(Path.Combine(folder, ResultFile), Jobs.ToJson(result) + "\n", new UTF8Encoding(false));
        try
        {
            // No operating system renames a folder to the name of a non-empty folder, so the first worker wins.
            PartialFile.CommitFolder(folder, Path.Combine(root, result.Job.Id));
        }
        catch (IOException) when (HasResult(result.Job.Id))
        {
            // Another worker was first. Its result stays.
        }

        return DeleteUnfinishedAsync(result.Job.Id, ct);
    }

    /// <inheritdoc/>
    public override Task DeleteUnfinishedAsync(string id, CancellationToken ct)
    {
        // The job's folder is renamed before it is deleted, because another worker may publish a result from this folder at this moment.
        Try(() => Directory.Move(Path.Combine(_partial, id), Path.Combine(_partial, $"{id}.{Guid.NewGuid():N}")));

        // This also deletes folders that a killed worker had renamed.
        Try(() =>
        {
            foreach (var renamed in Directory.EnumerateDirectories(_partial, $"{id}.*", _exactly))
            {
                Try(() => Directory.Delete(renamed, recursive: true));
            }
        });
        return Task.CompletedTask;

        static void Try(Action action)
        {
            try
            {
                action();
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException)
            {
                // Another worker has deleted the folder, or still writes into it.
            }
        }
    }

    /// <inheritdoc/>
    public override Task DeleteFolderAsync(string folder)
    {
        DeleteFolder(folder);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public override Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAllAsync(CancellationToken ct)
    {
        JobResult[] results =
        [
            .. Directory.EnumerateDirectories(root)
                .Where(folder => !Path.GetFileName(folder).Contains('.', StringComparison.Ordinal))
                .Select(folder => Path.Combine(folder, ResultFile))
                .Where(File.Exists)
                .Select(file => Jobs.ParseResult(File.ReadAllText(file), file)),
        ];
        var begun = !Directory.Exists(_partial) ? 0 : Directory.EnumerateDirectories(_partial)
            .Count(job => !HasResult(Path.GetFileName(job)) && !job.AsSpan(_partial.Length).Contains('.'));
        return Task.FromResult<(IReadOnlyList<JobResult>, int)>((results, begun));
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
    }

    private bool HasResult(string id) => File.Exists(Path.Combine(root, id, ResultFile));
}
