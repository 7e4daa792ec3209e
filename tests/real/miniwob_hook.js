// Served beside MiniWoB's own core.js: sets an episode up as MiniWoB's drivers do, and tells how it ended.
(() => {
  const asked = new URLSearchParams(location.search);
  const begin = core.startEpisodeReal;
  core.startEpisodeReal = function () {
    Math.seedrandom(asked.get('seed'));
    if (asked.has('time_ms')) core.EPISODE_MAX_TIME = Number(asked.get('time_ms'));
    begin.apply(this, arguments);
  };
  const end = core.endEpisode;
  core.endEpisode = function () {
    end.apply(this, arguments);
    navigator.sendBeacon('/told/' + asked.get('name'), JSON.stringify({
      raw: WOB_RAW_REWARD_GLOBAL, reward: WOB_REWARD_GLOBAL, reason: WOB_REWARD_REASON || '',
    }));
  };
})();
